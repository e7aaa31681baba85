/** Compares version numbers reported by nodes. */

/** Version parts as numbers: of `0+cu126` the 0; other text is ignored. */
const parts = (version: string): number[] =>
  version.split('.').map((part) => Math.min(Number.parseInt(part, 10) || 0, Number.MAX_SAFE_INTEGER));

/** Negative where a is older than b. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
