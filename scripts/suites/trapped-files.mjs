/**
 * Test files whose process Node itself ended: V8 13.6 aborts now and then when a thread ends ('Check failed: jit_page.has_value()',
 * nodejs/node#64500). They are run again, once; a test that fails is not.
 */

/** @param {string} text what Vitest printed @returns {string[]} each once */
export const trappedFiles = (text) => [
  ...new Set(
    [
      ...text.matchAll(
        /Worker exited unexpectedly with signal SIGTRAP during \w+ state while running test file (.+?\.test\.[a-z]+)/g,
      ),
    ].map(([, file = '']) => file),
  ),
];

/**
 * @param {import('./counts.mjs').Counts} counts of the whole run
 * @param {readonly string[]} trapped files that were run again
 * @param {import('./counts.mjs').Counts} again their counts then
 * @returns {import('./counts.mjs').Counts}
 */
export function withTrapped(counts, trapped, again) {
  const failures = (counts.failures ?? []).filter((name) => !trapped.includes(name));
  return {
    passed: counts.passed + again.passed,
    // A file without a report has failed without a name.
    failed: Math.max(failures.length, counts.failed - trapped.length) + again.failed,
    skipped: counts.skipped + again.skipped,
    failures: [...failures, ...(again.failures ?? [])],
  };
}
