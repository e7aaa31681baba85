/** A scheduler's job is signalled once for all of its ranks, each of which asks for it. */
import type { Clock } from '../../base/clock.ts';

/** Milliseconds before a job is signalled again in the same way. */
const signalOnce = 3000;

export type JobSignal = 'TERM' | 'KILL';

export interface JobSignals {
  /**
   * What the newest such signal of this job came to; one is sent where none is that recent.
   * @param end sends it
   */
  send(job: string, name: JobSignal, end: () => Promise<boolean>): Promise<boolean>;
  /** Whether this process has ended the job. */
  asked(job: string): boolean;
}

export function createJobSignals(clock: Pick<Clock, 'ticks'>): JobSignals {
  const sent = new Map<string, { at: number; done: Promise<boolean> }>();
  return {
    async send(job, name, end) {
      const key = `${job} ${name}`;
      const last = sent.get(key);
      if (last !== undefined && clock.ticks() - last.at < signalOnce) return await last.done;
      const sending = end();
      sent.set(key, { at: clock.ticks(), done: sending });
      sending.catch(() => sent.delete(key));
      return await sending;
    },
    asked: (job) => sent.has(`${job} TERM`) || sent.has(`${job} KILL`),
  };
}
