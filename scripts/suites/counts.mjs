/** Reads a suite's own report as counts. A suite without a report counts as failed. */

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {readonly string[]} [failures] the names of the failed tests, if known
 */

/** @param {readonly Counts[]} all @returns {Counts} */
export const sum = (all) =>
  all.reduce(
    (total, { passed, failed, skipped, failures = [] }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
      failures: [...total.failures, ...failures],
    }),
    { passed: 0, failed: 0, skipped: 0, failures: [] },
  );

/**
 * A program that fails without a failed test (it crashed, it could not start) counts as one failure; so does one
 * that ran no test at all.
 * @param {Counts} counts @param {number} exitCode @returns {Counts}
 */
export function withExit(counts, exitCode) {
  const ranNothing = counts.passed + counts.failed + counts.skipped === 0;
  return (exitCode !== 0 && counts.failed === 0) || ranNothing
    ? { ...counts, failed: counts.failed + 1 }
    : counts;
}

/** @param {string} json of Vitest's json reporter @returns {Counts} */
export function vitestCounts(json) {
  const report = JSON.parse(json);
  const failures = report.testResults.flatMap((file) => {
    const tests = file.assertionResults.filter((test) => test.status === 'failed');
    if (tests.length > 0) return tests.map((test) => `${file.name}: ${test.fullName}`);
    // A file that fails before its first test has no test to count.
    return file.status === 'failed' ? [file.name] : [];
  });
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
    failures,
  };
}

/** @param {string} xml of `ctest --output-junit` @returns {Counts} */
export function ctestCounts(xml) {
  const head = /<testsuite\b[^>]*>/.exec(xml)?.[0] ?? '';
  const count = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const skipped = count('skipped') + count('disabled');
  const failures = [...xml.matchAll(/<testcase\b[^>]*?\bname="([^"]*)"[^>]*\bstatus="fail"/g)].map(
    ([, name = '']) => name,
  );
  return {
    passed: count('tests') - count('failures') - skipped,
    failed: count('failures'),
    skipped,
    failures,
  };
}

/** @param {string} json of Playwright's json reporter @returns {Counts} */
export function playwrightCounts(json) {
  const { stats, errors = [], suites = [] } = JSON.parse(json);
  const failuresOf = (suite) => [
    ...(suite.suites ?? []).flatMap(failuresOf),
    ...(suite.specs ?? []).filter(({ ok }) => !ok).map(({ file, line, title }) => `${file}:${line} ${title}`),
  ];
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + (stats.unexpected === 0 && errors.length > 0 ? 1 : 0),
    skipped: stats.skipped,
    failures: suites.flatMap(failuresOf),
  };
}

/** @param {string} suite @param {Counts} counts @returns {string} a line for each failure, shown at the end */
export const failureLines = (suite, { failures = [] }) =>
  failures.map((name) => `✗ ${suite}: ${name}\n`).join('');

/** The last line of `npm test`. @param {Counts} counts */
export const lastLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
