import { describe, expect, it } from 'vitest';
import { inEnglish, lastLines, runCommand, runningCommands } from './command.mjs';

const node = (script, options) => runCommand(process.execPath, ['-e', script], options);

describe('a program that is run', () => {
  it('gives its exit code, both its outputs and each line', async () => {
    const lines = [];
    const result = await node(
      "console.log('a\\rb'); console.error('c'); process.stdout.write('end'); process.exitCode = 3",
      {
        onLine: (line) => lines.push(line),
      },
    );
    expect(result.code).toBe(3);
    expect(result.output).toContain('c\n');
    expect(lines.sort()).toEqual(['a', 'b', 'c', 'end']);
    expect(runningCommands()).toEqual([]);
  });

  it('returns 127 if it does not exist, and 124 after a time-out', async () => {
    expect((await runCommand('ringlab-no-such-program', [])).code).toBe(127);
    expect((await node('setInterval(() => {}, 1000)', { timeout: 200 })).code).toBe(124);
  });

  it('reports the signal that ended it', async () => {
    expect((await node("process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)")).code).toBe(143);
  });

  it('keeps only the end of a long output', async () => {
    const { output } = await node("process.stdout.write('x'.repeat(1e6) + 'the end')");
    expect(output.length).toBe(256 * 1024);
    expect(lastLines(`1\n2\n3\n`, 2)).toBe('2\n3');
    expect(output.endsWith('the end')).toBe(true);
  });
});

it('what a program says is in English, with the user’s character set', () => {
  expect(inEnglish({ HOME: '/h', LANG: 'zh_CN.UTF-8', LANGUAGE: 'zh' })).toEqual({
    HOME: '/h',
    LANG: 'zh_CN.UTF-8',
    LC_MESSAGES: 'C',
  });
  expect(inEnglish({ LANG: 'C', LC_ALL: 'zh_CN.GB18030', LC_CTYPE: 'C', LC_MESSAGES: 'de_DE' })).toEqual({
    LANG: 'C',
    LC_CTYPE: 'zh_CN.GB18030',
    LC_MESSAGES: 'C',
  });
  expect(inEnglish({ LC_ALL: '', LC_CTYPE: 'C.UTF-8' })).toEqual({ LC_CTYPE: 'C.UTF-8', LC_MESSAGES: 'C' });
});
