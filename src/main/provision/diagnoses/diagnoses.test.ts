/** Tests the doctor on real output of the tools. */
import { describe, expect, it } from 'vitest';
import { Diagnosed } from '../../../shared/node/diagnosis.ts';
import { diagnose, diagnoses, diagnosisOf } from './diagnoses.ts';
import { ordinaryLines } from '../testing/ordinary-lines.ts';
import { allPosted as posted } from '../testing/posted/all-posted.ts';
import { heldOut } from '../testing/posted/held-out.ts';
import { realTexts } from '../testing/real-texts.ts';

describe('the doctor', () => {
  it.each(realTexts)('recognises %s', (code, text) => {
    const found = diagnose(text);
    expect(found.map((one) => one.code)).toContain(code);
    expect(found[0]?.code).toBe(code);
    for (const one of found) {
      expect(() => Diagnosed.parse(one)).not.toThrow();
      for (const words of [one.cause, one.remedy])
        expect(Object.values(words).join()).not.toMatch(/[{}]|unknown\)/);
    }
  });

  it.each(posted)('recognises %s, and nothing else, as posted in %s', (code, _thread, text) => {
    const found = diagnose(text);
    expect(found.map((one) => one.code)).toEqual([code]);
    expect(found[0]?.line).not.toBe('');
    expect(() => Diagnosed.parse(found[0])).not.toThrow();
  });

  it('has a text for each failure, under unique ids', () => {
    const codes = diagnoses.map(({ code }) => code);
    expect(codes.length).toBeGreaterThanOrEqual(150);
    expect(new Set(codes).size).toBe(codes.length);
    const shown = new Set([...realTexts, ...posted].map(([code]) => code));
    // Those without a pattern are in no output: a step names them.
    const inOutput = diagnoses.filter(({ patterns }) => patterns.length > 0).map(({ code }) => code);
    expect([...shown].sort()).toEqual(inOutput.sort());
  });

  it.each(heldOut)('recognises %s, as posted in %s, which no rule was written for', (code, _thread, text) => {
    expect(diagnose(text).map((one) => one.code)).toEqual([code]);
  });

  it('names the thread of each posted text', () => {
    for (const [, thread] of [...posted, ...heldOut]) expect(thread).toMatch(/^[\w-]+\/[\w.-]+#\d+$/);
  });

  it('does not report what only follows from another failure of the same output', () => {
    const codesOf = (...lines: readonly string[]) => diagnose(lines.join('\n')).map(({ code }) => code);
    const child =
      'torch/distributed/elastic/multiprocessing/api.py:826] failed (exitcode: 1) local_rank: 0 (pid: 7) of binary: python';
    expect(codesOf("ModuleNotFoundError: No module named 'timm'", child)).toEqual(['python.no_module']);
    expect(codesOf(child, 'torch.distributed.elastic.multiprocessing.errors.ChildFailedError:')).toEqual([
      'elastic.child_failed',
    ]);
    expect(codesOf('Signal 11 (SIGSEGV) received by PID 7', child)).toEqual(['elastic.crashed']);
    expect(
      codesOf('WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!', 'Host key verification failed.'),
    ).toEqual(['ssh.host_key_changed']);
    expect(codesOf('[1.0] Out of memory: Killed process 7 (python3) total-vm:1kB', 'Killed')).toEqual([
      'memory.killed',
    ]);
  });

  it('shows a value that the tool’s output omits as unknown, in both languages', () => {
    expect(diagnosisOf('build.cmake_old')?.cause).toEqual({
      en: 'CMake (unknown) is too old; (unknown) is needed.',
      'zh-CN': 'CMake （未知） 过旧，需要 （未知）。',
    });
  });

  it('finds nothing in a hundred ordinary lines, one by one and together', () => {
    expect(ordinaryLines.length).toBeGreaterThanOrEqual(100);
    for (const line of ordinaryLines) expect([line, diagnose(line)]).toEqual([line, []]);
    expect(diagnose(ordinaryLines.join('\n'))).toEqual([]);
  });

  it('reports several failures in their order, each once, with the line that matched', () => {
    const found = diagnose(
      `E: Unable to locate package nvidia-driver-999\r\n\u001b[31mE: Unable to locate package other\u001b[0m\nbash: nvidia-smi: command not found\n`,
    );
    expect(found.map(({ code }) => code)).toEqual(['apt.no_such_package', 'driver.not_installed']);
    expect(found[0]).toMatchObject({
      line: 'E: Unable to locate package nvidia-driver-999',
      cause: { en: 'None of the node’s package sources has nvidia-driver-999.' },
    });
  });

  it('is fast for input without line ends, megabytes long', () => {
    expect(diagnose('x '.repeat(5_000_000))).toEqual([]);
  });
});
