/** Shared by all benches: order statistics, a description of the machine, the JSON line at the end. */
import { cpus, totalmem } from 'node:os';

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
export const median = (values: readonly number[]): number => quantile(values, 0.5);

const machine = (): string =>
  `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;

export interface Figure {
  readonly what: string;
  readonly goal: string;
  readonly values: readonly number[];
  readonly unit: string;
}

/** A table row for each figure: min, median, max, p95 and the goal; then one JSON line. */
export function report(bench: string, figures: readonly Figure[]): void {
  process.stdout.write(`${bench}: ${machine()}, ${new Date().toISOString().slice(0, 10)}\n`);
  process.stdout.write('| what | min | median | p95 | max | goal |\n| --- | --- | --- | --- | --- | --- |\n');
  const show = (value: number, unit: string): string => `${Number(value.toPrecision(3))} ${unit}`;
  for (const { what, goal, values, unit } of figures) {
    const cells = [Math.min(...values), median(values), quantile(values, 0.95), Math.max(...values)].map(
      (value) => show(value, unit),
    );
    process.stdout.write(`| ${what} | ${cells.join(' | ')} | ${goal} |\n`);
  }
  const summary = Object.fromEntries(
    figures.map(({ what, values }) => [
      what,
      { median: median(values), p95: quantile(values, 0.95), runs: values.length },
    ]),
  );
  process.stdout.write(`${JSON.stringify({ bench, ...summary })}\n`);
}

/** Runs `once` several times and returns the seconds of each. */
export async function repeat(times: number, once: (round: number) => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let round = 0; round < times; round += 1) values.push(await once(round));
  return values;
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}
