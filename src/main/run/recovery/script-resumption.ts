/** Where an own script went on after a failure, and what it does again, from the steps that it printed or logged. */
import { metricNumber, rankSource, type MetricLine } from '../../../shared/metrics/metrics.ts';
import { collectEndKind } from '../../../shared/run/newest-of-ranks.ts';
import type { Restart } from '../../../shared/run/recovery.ts';
import { scalarKind } from '../../../shared/run/run-outputs.ts';
import type { Store } from '../../store/index.ts';
import { storedCount } from '../record/progress.ts';

const linesRead = 5000;

/** Its trainer's start says it of a native run; a script says it with the first step of its next attempt. */
export const isScriptStep = (line: MetricLine): boolean =>
  line.kind === scalarKind && Number.isFinite(metricNumber(line.step));

const isEnd = (line: MetricLine): boolean => line.kind === collectEndKind;
const stepOf = (line: MetricLine): number => Math.max(0, Math.floor(metricNumber(line.step) ?? 0));

/** Undefined where rank 0 has not begun again, or says no steps. */
export async function scriptResumption(
  store: Pick<Store, 'lines'>,
  runId: string,
  { attempt, step }: Pick<Restart, 'attempt' | 'step'>,
): Promise<Restart['resumed']> {
  const kinds = [scalarKind, collectEndKind];
  const points = await store.lines({ runId, kinds, source: rankSource(0), limit: linesRead });
  const lines = points.map(({ line }) => line);
  // A requeued job has an end for each of its starts.
  const end = lines.findLastIndex((line) => isEnd(line) && line.attempt === attempt);
  if (end === -1) return undefined;
  const next = lines.slice(end + 1);
  const nextEnd = next.findIndex(isEnd);
  const first = next.slice(0, nextEnd === -1 ? undefined : nextEnd).find(isScriptStep);
  if (first === undefined) return undefined;
  const at = stepOf(first);
  const before = lines.slice(lines.slice(0, end).findLastIndex(isEnd) + 1, end).filter(isScriptStep);
  const again = before.filter((line) => stepOf(line) >= at);
  const lostSeconds = Math.max(0, (again.at(-1)?.t ?? 0) - (again[0]?.t ?? 0));
  // Compared as it counts, stored as a record can hold it: its steps may be nanoseconds.
  return { t: first.t, step: storedCount(at), lostSteps: Math.max(0, step - at), lostSeconds };
}
