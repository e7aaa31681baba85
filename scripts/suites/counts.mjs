/** What a suite's own report says, as counts. A suite that reports nothing has failed: silence is no success. */

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 */

/** @param {readonly Counts[]} all @returns {Counts} */
export const sum = (all) =>
  all.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );

/**
 * A program that ends badly without a failed test (it crashed, it could not start) counts as one failure; so does one
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
  // A file that fails before its first test has no test to count.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
  };
}

/** @param {string} xml of `ctest --output-junit` @returns {Counts} */
export function ctestCounts(xml) {
  const head = /<testsuite\b[^>]*>/.exec(xml)?.[0] ?? '';
  const count = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const skipped = count('skipped') + count('disabled');
  return { passed: count('tests') - count('failures') - skipped, failed: count('failures'), skipped };
}

/** @param {string} json of Playwright's json reporter @returns {Counts} */
export function playwrightCounts(json) {
  const { stats, errors = [] } = JSON.parse(json);
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + (stats.unexpected === 0 && errors.length > 0 ? 1 : 0),
    skipped: stats.skipped,
  };
}

/** The last line of `npm test`. @param {Counts} counts */
export const lastLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
