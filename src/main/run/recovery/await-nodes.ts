/** Waits until a run can start again: its nodes answer, and the link that was blamed is up. */
import { backOffMs } from '../../../shared/base/back-off.ts';
import { fromWireError, isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import { trainingNodes } from '../../../shared/lab/lab.ts';
import type { RecoveryWait } from '../../../shared/run/recovery.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { isRefusal } from '../../ssh/index.ts';
import { secondsNow } from '../../base/clock.ts';
import type { RecordKeeper } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';
import { timeAwake } from '../record/time-awake.ts';

interface Parts {
  readonly services: Pick<RunServices, 'reach' | 'clock' | 'settings' | 'linksDown'>;
  readonly keeper: Pick<RecordKeeper, 'change' | 'current'>;
  readonly signal: AbortSignal;
}

/** Records what the run waits for; a run that is no longer recovering is left as it is. */
export const waitingFor = (run: RunRecord, waiting: RecoveryWait | undefined): RunRecord => {
  if (run.state !== 'recovering' || run.recovery === undefined) return run;
  return { ...run, recovery: { ...run.recovery, waiting } };
};

/**
 * Resolves when every node of the run has answered. Rejects with `cancelled`, and where that takes longer than `lostAfter` with
 * the error of a node that stays unreachable, or with `link_down`.
 */
export async function awaitNodes({ services, keeper, signal }: Parts): Promise<void> {
  const { reach, clock, settings, linksDown } = services;
  const { lab, labId, recovery, nodeOrder } = keeper.current;
  const nodes = trainingNodes(lab).filter(({ id }) => nodeOrder === undefined || nodeOrder.includes(id));
  const waited = timeAwake(clock, 2 * settings.reconnectRefused);
  let failures = 0;
  /** The error of each node that does not answer, by its name. */
  const silent = async (): Promise<Map<string, unknown>> => {
    const found = new Map<string, unknown>();
    const ask = async ({ id, name }: (typeof nodes)[number]): Promise<void> => {
      try {
        const session = await reach.session(lab, id, signal);
        await session.exec(':', { signal, timeoutMs: settings.readTimeout, brief: true });
      } catch (error) {
        if (isCancelled(error)) throw error;
        found.set(name, error);
      }
    };
    await Promise.all(nodes.map(ask));
    return found;
  };
  const show = async (what: RecoveryWait['for'], names: readonly string[]): Promise<void> => {
    const now = secondsNow(clock);
    const before = keeper.current.recovery?.waiting;
    if (before?.for === what && before.names.join('\n') === names.join('\n')) return;
    const waiting = { for: what, names: names.slice(0, 100).map((name) => name.slice(0, 300)), since: now };
    await keeper.change((run) => waitingFor(run, waiting));
  };
  const link = recovery?.restarts.at(-1)?.error;
  for (;;) {
    signal.throwIfAborted();
    const isTooLong = waited.passed() > settings.lostAfter;
    const down = link?.code === 'link_down' ? (linksDown?.(labId) ?? []) : [];
    if (link !== undefined && down.length > 0) {
      if (isTooLong) throw fromWireError(link);
      await show('link', down);
      await clock.sleep(settings.lookEvery, signal);
      continue;
    }
    const missing = await silent();
    if (missing.size === 0) return;
    await show('nodes', [...missing.keys()]);
    const [error] = missing.values();
    if (isTooLong)
      throw error instanceof RinglabError ? error : new RinglabError('internal', {}, { cause: error });
    // A refusal does not go away with a retry, and some servers block a client that repeats it.
    const refused = [...missing.values()].some(isRefusal);
    failures += 1;
    const waitMs = refused
      ? settings.reconnectRefused
      : backOffMs(failures, settings.reconnect, clock.random());
    await clock.sleep(waitMs, signal);
  }
}
