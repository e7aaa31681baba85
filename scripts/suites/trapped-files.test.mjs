import { expect, it } from 'vitest';
import { trappedFiles, withTrapped } from './trapped-files.mjs';

const said = (file, signal = 'SIGTRAP') =>
  `\u001b[31mCaused by: Error: Worker exited unexpectedly with signal ${signal} during started state while running test file ${file}\u001b[39m\n`;

it('names files whose process ended by SIGTRAP, each once, and no others', () => {
  const text = `${said('/a b/src/store.test.ts')}${said('/a b/src/store.test.ts')}${said('/c.test.mjs')}`;
  expect(trappedFiles(text)).toEqual(['/a b/src/store.test.ts', '/c.test.mjs']);
  expect(trappedFiles(said('/a.test.ts', 'SIGKILL'))).toEqual([]);
  expect(trappedFiles('✗ /a.test.ts')).toEqual([]);
});

it('counts them as they were when they were run again; a test that failed stays failed', () => {
  const again = { passed: 9, failed: 0, skipped: 1, failures: [] };
  const one = { passed: 100, failed: 1, skipped: 2, failures: ['/a.test.ts'] };
  expect(withTrapped(one, ['/a.test.ts'], again)).toEqual({
    passed: 109,
    failed: 0,
    skipped: 3,
    failures: [],
  });
  const two = { ...one, failed: 2, failures: ['/a.test.ts', '/b.test.ts: adds'] };
  expect(withTrapped(two, ['/a.test.ts'], again)).toMatchObject({
    failed: 1,
    failures: ['/b.test.ts: adds'],
  });
  const still = { passed: 0, failed: 1, skipped: 0, failures: ['/a.test.ts'] };
  expect(withTrapped(one, ['/a.test.ts'], still)).toMatchObject({ failed: 1, failures: ['/a.test.ts'] });
  // Of the crash alone, where no file is named as failed.
  expect(withTrapped({ passed: 5, failed: 1, skipped: 0 }, ['/a.test.ts'], again)).toMatchObject({
    failed: 0,
  });
});
