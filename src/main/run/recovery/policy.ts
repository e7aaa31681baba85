/** The recovery policy: whether a run starts again after a failure, and when. Pure. */
import { defaultRestartsPerHour } from '../../../shared/lab/lab.ts';
import {
  countedRestarts,
  isWithinHour,
  maxRestarts,
  type NoRestart,
  type Restart,
} from '../../../shared/run/recovery.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { causeOf, type Failure } from './cause.ts';

/** After as many failures of the same kind in a row without a new checkpoint, a run that failed by itself stops. */
const identicalLimit = 2;
/** The same for failures of any kind. */
const fruitlessLimit = 5;

export type Decision =
  /** `tries`: how many restarts in a row led to no new checkpoint. */
  { readonly restart: true; readonly tries: number } | { readonly restart: false; readonly why: NoRestart };

const isAlike = (a: Restart['error'], b: Restart['error']): boolean =>
  a.code === b.code && a.where === b.where && a.params.code === b.params.code;

/** The failures in a row up to `last` between which no checkpoint was written, the newest first. */
function fruitless(last: Restart, before: readonly Restart[], isScript: boolean): Restart[] {
  const row = [last];
  for (const earlier of before.toReversed()) {
    const later = row.at(-1) ?? last;
    // A script's checkpoints are not known: its steps show whether it gets on.
    if (isScript ? later.step > earlier.step : later.from > earlier.from) break;
    row.push(earlier);
  }
  return row;
}

/** @param failed the newest failure, which `run.recovery` does not have yet */
export function decide(run: RunRecord, failed: Restart, own: Failure['own']): Decision {
  const { experiment } = run.lab;
  const isScript = experiment.script !== undefined;
  const restarts = countedRestarts(run.recovery);
  const cause = causeOf({ error: failed.error, own }, isScript);
  if (cause === 'lasting') return { restart: false, why: 'cause' };
  const row = fruitless(failed, restarts, isScript);
  const alike = row.findIndex(({ error }) => !isAlike(error, failed.error));
  const identical = alike === -1 ? row.length : alike;
  if ((cause === 'own' && identical >= identicalLimit) || row.length >= fruitlessLimit)
    return { restart: false, why: 'repeated' };
  const limit = experiment.restartsPerHour ?? defaultRestartsPerHour;
  if (restarts.filter(({ t }) => isWithinHour(t, failed.t)).length >= limit)
    return { restart: false, why: 'tooOften' };
  return { restart: true, tries: row.length - 1 };
}

export const withRestart = (run: RunRecord, failed: Restart): RunRecord => ({
  ...run,
  recovery: {
    ...run.recovery,
    ended: undefined,
    restarts: [...(run.recovery?.restarts ?? []), failed].slice(-maxRestarts),
  },
});
