import { describe, expect, it } from 'vitest';
import {
  ctestCounts,
  failureLines,
  lastLine,
  playwrightCounts,
  sum,
  vitestCounts,
  withExit,
} from './counts.mjs';

describe('the reports of the suites', () => {
  it('counts Vitest’s tests, and a file that fails before its first test', () => {
    const report = {
      numPassedTests: 5,
      numFailedTests: 1,
      numPendingTests: 2,
      numTodoTests: 1,
      testResults: [
        { name: 'a.ts', status: 'passed', assertionResults: [{ status: 'passed', fullName: 'stands' }] },
        { name: 'b.ts', status: 'failed', assertionResults: [{ status: 'failed', fullName: 'falls' }] },
        { name: 'c.ts', status: 'failed', assertionResults: [] },
      ],
    };
    expect(vitestCounts(JSON.stringify(report))).toEqual({
      passed: 5,
      failed: 2,
      skipped: 3,
      failures: ['b.ts: falls', 'c.ts'],
    });
  });

  it('counts CTest’s', () => {
    const xml =
      '<?xml version="1.0"?>\n<testsuite name="Linux-c++"\n\ttests="12"\n\tfailures="2"\n\tdisabled="1"\n\tskipped="3"\n>\n\t<testcase name="a" classname="a" time="1" status="run"/>\n\t<testcase name="b" classname="b" time="1" status="fail"><failure/></testcase>\n\t<testcase name="c" classname="c" time="1" status="fail"/>';
    expect(ctestCounts(xml)).toEqual({ passed: 6, failed: 2, skipped: 4, failures: ['b', 'c'] });
  });

  it('counts Playwright’s, and a configuration that cannot be loaded', () => {
    const stats = { expected: 3, unexpected: 0, flaky: 1, skipped: 2 };
    expect(playwrightCounts(JSON.stringify({ stats, errors: [] }))).toEqual({
      passed: 4,
      failed: 0,
      skipped: 2,
      failures: [],
    });
    expect(playwrightCounts(JSON.stringify({ stats, errors: [{ message: 'x' }] })).failed).toBe(1);
    const spec = (ok, title) => ({ ok, title, file: 'links.spec.ts', line: 3 });
    const inside = { specs: [spec(true, 'stands'), spec(false, 'falls')] };
    const suites = [{ specs: [], suites: [inside] }];
    expect(playwrightCounts(JSON.stringify({ stats, suites })).failures).toEqual(['links.spec.ts:3 falls']);
  });

  it('counts a bad exit code or no output as a failure', () => {
    expect(withExit({ passed: 3, failed: 0, skipped: 0 }, 0).failed).toBe(0);
    expect(withExit({ passed: 3, failed: 0, skipped: 0 }, 1).failed).toBe(1);
    expect(withExit({ passed: 3, failed: 2, skipped: 0 }, 1).failed).toBe(2);
    expect(withExit({ passed: 0, failed: 0, skipped: 0 }, 0).failed).toBe(1);
  });

  it('prints the sum in the last line', () => {
    const counts = { passed: 2, failed: 1, skipped: 4 };
    expect(lastLine(sum([counts, counts]))).toBe('4 passed, 2 failed');
    expect(lastLine(sum([]))).toBe('0 passed, 0 failed');
  });

  it('names failed tests', () => {
    const one = { passed: 2, failed: 1, skipped: 0, failures: ['falls'] };
    expect(failureLines('unit', sum([one, { passed: 1, failed: 0, skipped: 0 }]))).toBe('✗ unit: falls\n');
  });
});
