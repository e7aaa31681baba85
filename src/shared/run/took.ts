/** How long a run took: its attempts together, without the time between them. Pure. */
import { isEnded, type RunRecord } from './run.ts';

/** The part of a run, or of its summary, that says it. */
type Timed = Pick<RunRecord, 'state' | 'startedAt' | 'endedAt' | 'pause'>;

/** Seconds that it took, or has taken so far; undefined before its first start. @param now Unix seconds */
export function tookOf({ state, startedAt, endedAt, pause }: Timed, now: number): number | undefined {
  if (startedAt === undefined) return undefined;
  const until = pause?.since ?? endedAt ?? (isEnded(state) ? startedAt : now);
  return Math.max(0, until - startedAt - (pause?.seconds ?? 0));
}

/** The pause of a run whose next attempt is prepared: it began as the last one that started ended. */
export function pauseOf({ startedAt, endedAt, pause }: Timed): RunRecord['pause'] {
  const since = pause?.since ?? endedAt;
  return startedAt === undefined || since === undefined ? pause : { seconds: pause?.seconds ?? 0, since };
}

/** The same once it has started. */
export const pauseUntil = ({ pause }: Timed, now: number): RunRecord['pause'] =>
  pause?.since === undefined ? pause : { seconds: pause.seconds + Math.max(0, now - pause.since) };
