import { describe, expect, it } from 'vitest';
import type { RunRecord } from './run.ts';
import { runNotice } from './run-notice.ts';

describe('the notice that a run restarts', () => {
  const before = { state: 'running', failures: 0, resumptions: 0, losses: 0 } as const;
  const restart = { from: 0, error: { code: 'rank_killed', params: {}, where: 'N2' } };
  const notice = (experiment: object, language: 'en' | 'zh-CN'): string | undefined => {
    const run = { state: 'recovering', recovery: { restarts: [restart] }, lab: { experiment } };
    // What a notice does not read is left out.
    return runNotice(run as unknown as RunRecord, before, language);
  };

  it('names the step, and of an own script, which decides that itself, none', () => {
    expect(notice({}, 'en')).toBe('N2 was lost: training restarts from step 0.');
    expect(notice({ script: {} }, 'en')).toBe(
      'N2 was lost: training restarts from the script’s own checkpoint, if it has one.',
    );
    expect(notice({}, 'zh-CN')).toBe('N2 已失联：训练将从第 0 步重启。');
    expect(notice({ script: {} }, 'zh-CN')).toBe('N2 已失联：训练将从脚本自己的检查点（如果有）重启。');
  });
});
