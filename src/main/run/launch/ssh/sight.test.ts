import { describe, expect, it } from 'vitest';
import { parseProcess, parseSights } from './sight.ts';
import { startedProcess } from './ssh-process.ts';

const pid = (change: Record<string, unknown> = {}): string =>
  `pid ${JSON.stringify({ pid: 7, boot_id: 'b1', start_ticks: 50, attempt: 2, ...change })}`;
const exit = (change: Record<string, unknown> = {}): string =>
  `exit ${JSON.stringify({ code: 0, signal: null, t: 9, attempt: 2, oom: false, ...change })}`;
const seen = (...lines: string[]) => parseSights(['boot b1', 'folder', ...lines, ''].join('\n'), [2])[0];

describe('the state of a process', () => {
  it('fault 28: is alive only with the number, boot id and start time of its pid file, and if no zombie', () => {
    expect(seen(pid(), 'process S 50')).toMatchObject({
      state: 'alive',
      process: startedProcess({ pid: 7, bootId: 'b1', startTicks: 50 }),
    });
    expect(seen(pid(), 'process S 51')?.state).toBe('vanished');
    expect(seen(pid(), 'process Z 50')?.state).toBe('vanished');
    expect(seen(pid())?.state).toBe('vanished');
    expect(seen(pid({ boot_id: 'b0' }), 'process S 50')?.state).toBe('rebooted');
  });

  it('is exited if its exit file exists, whatever else does', () => {
    expect(seen(pid({ boot_id: 'b0' }), 'process S 50', exit({ code: null, signal: 9, oom: true }))).toEqual({
      state: 'exited',
      exit: { code: null, signal: 9, t: 9, outOfMemory: true },
      process: startedProcess({ pid: 7, bootId: 'b0', startTicks: 50 }),
    });
  });

  it('ignores files of an earlier attempt, and accepts those without an attempt', () => {
    expect(seen(pid({ attempt: 1 }), exit({ attempt: 1 }))).toEqual({ state: 'absent' });
    expect(seen(pid({ attempt: undefined }), exit({ attempt: undefined }))?.state).toBe('exited');
  });

  it('ignores half-written files', () => {
    expect(seen('pid {"pid":7,"boo', 'exit {"code"')).toEqual({ state: 'absent' });
  });

  it('is refused for an incomplete answer or an invalid pid file', () => {
    expect(() => parseSights('boot b1\nfolder\n', [1, 1])).toThrow('command_failed');
    expect(() => parseProcess('sh: not found', 'rank-0')).toThrow('command_failed');
  });
});
