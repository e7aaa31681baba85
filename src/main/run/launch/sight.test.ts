import { describe, expect, it } from 'vitest';
import { parseProcess, parseSights } from './sight.ts';
import { startedProcess } from './ssh-process.ts';

const pid = (change: Record<string, unknown> = {}): string =>
  `pid ${JSON.stringify({ pid: 7, boot_id: 'b1', start_ticks: 50, attempt: 2, ...change })}`;
const exit = (change: Record<string, unknown> = {}): string =>
  `exit ${JSON.stringify({ code: 0, signal: null, t: 9, attempt: 2, oom: false, ...change })}`;
const seen = (...lines: string[]) => parseSights(['boot b1', 'folder', ...lines, ''].join('\n'), [2])[0];

describe('a look at a process', () => {
  it('fault 28: is alive only with the number, the boot and the start time of its pid file, and no zombie', () => {
    expect(seen(pid(), 'process S 50')).toMatchObject({
      state: 'alive',
      process: startedProcess({ pid: 7, bootId: 'b1', startTicks: 50 }),
    });
    expect(seen(pid(), 'process S 51')?.state).toBe('vanished');
    expect(seen(pid(), 'process Z 50')?.state).toBe('vanished');
    expect(seen(pid())?.state).toBe('vanished');
    expect(seen(pid({ boot_id: 'b0' }), 'process S 50')?.state).toBe('rebooted');
  });

  it('has ended where its exit says so, whatever else is there', () => {
    expect(seen(pid({ boot_id: 'b0' }), 'process S 50', exit({ code: null, signal: 9, oom: true }))).toEqual({
      state: 'exited',
      exit: { code: null, signal: 9, t: 9, outOfMemory: true },
      process: startedProcess({ pid: 7, bootId: 'b0', startTicks: 50 }),
    });
  });

  it('knows nothing of an earlier attempt, and takes files of no attempt for its own', () => {
    expect(seen(pid({ attempt: 1 }), exit({ attempt: 1 }))).toEqual({ state: 'absent' });
    expect(seen(pid({ attempt: undefined }), exit({ attempt: undefined }))?.state).toBe('exited');
  });

  it('takes half-written files for none', () => {
    expect(seen('pid {"pid":7,"boo', 'exit {"code"')).toEqual({ state: 'absent' });
  });

  it('refuses an answer that is too short, and a pid file that is none', () => {
    expect(() => parseSights('boot b1\nfolder\n', [1, 1])).toThrow('command_failed');
    expect(() => parseProcess('sh: not found', 'rank-0')).toThrow('command_failed');
  });
});
