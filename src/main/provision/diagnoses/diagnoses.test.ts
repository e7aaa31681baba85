/** Tests the doctor on real output of the tools. */
import { describe, expect, it } from 'vitest';
import { Diagnosed } from '../../../shared/node/diagnosis.ts';
import { diagnose, diagnoses, diagnosisOf } from './diagnoses.ts';
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

  it('has a text for each of at least forty failures, under unique ids', () => {
    const codes = diagnoses.map(({ code }) => code);
    expect(codes.length).toBeGreaterThanOrEqual(40);
    expect(new Set(codes).size).toBe(codes.length);
    expect([...new Set(realTexts.map(([code]) => code))].sort()).toEqual([...codes].sort());
  });

  it('shows a value that the tool’s output omits as unknown, in both languages', () => {
    expect(diagnosisOf('build.cmake_old')?.cause).toEqual({
      en: 'CMake (unknown) is too old; (unknown) is needed.',
      'zh-CN': 'CMake （未知） 过旧，需要 （未知）。',
    });
  });

  it('finds nothing in the output of a successful installation', () => {
    const calm = `Get:1 http://deb.debian.org/debian bookworm/main amd64 libgloo-dev amd64 0.0~git20220518 [64.1 kB]
Unpacking libtorch-dev (1.13.1+dfsg-4) ...
nvidia-current-535.183.01: DKMS: install completed.
[ 98%] Building CXX object CMakeFiles/ringlab_engine.dir/sync/sgd.cpp.o
Epoch: [0][ 0/21]	Time  0.512 ( 0.512)	Data  0.020 ( 0.020)	Loss 2.3026e+00 (2.3026e+00)
 *   Acc@1 92.750 Acc@5 99.500`;
    expect(diagnose(calm)).toEqual([]);
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
