/**
 * Ticks of a linear axis: multiples of one of `factors` times a power of ten inside [low, high], about `count` of
 * them, at most 50. An empty range has one tick; a range wider than the largest number has its ends and 0.
 */
export function evenTicks(
  low: number,
  high: number,
  count: number,
  factors: readonly number[] = [1, 2, 5, 10],
): number[] {
  const span = high - low;
  if (!Number.isFinite(span)) return [low, 0, high];
  if (span <= 0) return [low];
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = factors.map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  if (step <= 0 || low + step === low) return [low, high];
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9 && ticks.length < 50; at += 1) {
    // 3 × 0.1 is 0.30000000000000004: rounded.
    ticks.push(Number((at * step).toPrecision(12)));
  }
  return ticks;
}
