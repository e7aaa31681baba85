/**
 * Lost ranks rejoin a run that goes on without them: at the user's wish, and by themselves where their node was away and is back.
 * Their nodes are prepared while the others train; then these stop with a checkpoint, and all start from it.
 */
import { backOffMs } from '../../../shared/base/back-off.ts';
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import { trainingNodes, type LabDocument } from '../../../shared/lab/lab.ts';
import { linkName } from '../../../shared/lab/links-down.ts';
import { canRejoin, lostMembers, replaceable } from '../../../shared/run/membership.ts';
import { maxRestarts, type Replacement } from '../../../shared/run/recovery.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { mayRejoinAt, wayBack } from '../../../shared/run/way-back.ts';
import { secondsNow } from '../../base/clock.ts';
import { phrase } from '../../i18n/index.ts';
import type { RecordKeeper } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';
import { wrongState } from '../record/wrong-state.ts';
import { replacedLab } from './replacement.ts';
import { tryFolders } from './writable-folders.ts';

interface Parts {
  readonly services: Pick<
    RunServices,
    'provisioner' | 'reach' | 'clock' | 'settings' | 'linksDown' | 'events'
  >;
  readonly keeper: Pick<RecordKeeper, 'current' | 'change'>;
}

/** The links of these nodes as a drawn network names them: 'N1–N2'. */
function linksTo(lab: LabDocument, nodeIds: ReadonlySet<string>): Set<string> {
  const theirs = lab.links.filter(({ ends }) => ends.some((end) => nodeIds.has(end)));
  return new Set(theirs.map((link) => linkName(lab, link)));
}

/**
 * Prepares the nodes of the lost ranks, or those that replace them, and records that the others are to stop. Rejects with the error of a node that
 * cannot be prepared or written to, with `link_down`, and with `run_wrong_state`; the others then train on.
 */
export async function prepareRejoin(
  { services, keeper }: Parts,
  signal: AbortSignal,
  replaces: readonly Replacement[] = [],
): Promise<void> {
  const { lab: before, labId, epochsCompleted, recovery, attempt } = keeper.current;
  if (recovery?.rejoins === true) return;
  const lost = lostMembers(keeper.current);
  const remedy = phrase('reasons.run.allThere');
  const lab = replacedLab(before, replaces);
  if (!canRejoin(keeper.current, lab.experiment, keeper.current.ranks.length))
    throw wrongState(keeper.current, remedy);
  const gone = linksTo(before, new Set(replaces.map(({ nodeId }) => nodeId)));
  const link = services.linksDown?.(labId).find((name) => !gone.has(name));
  if (link !== undefined)
    throw new RinglabError('link_down', { link, epoch: epochsCompleted }, { where: link });
  const newId = new Map(replaces.map(({ nodeId, node }) => [nodeId, node.id]));
  const away = new Set(lost.map(({ nodeId }) => newId.get(nodeId) ?? nodeId));
  const all = trainingNodes(lab).map(({ id }) => id);
  // Each node is tested from the first one's: where that one was lost, from all.
  const first = keeper.current.ranks[0]?.nodeId ?? '';
  const nodeIds = away.has(newId.get(first) ?? first) ? all : all.filter((id) => away.has(id));
  // A drawn network with other nodes is built anew, which cuts off those that train: it waits until they have stopped.
  const isDrawn = replaces.length > 0 && keeper.current.ranks.some(({ enter }) => enter !== undefined);
  if (!isDrawn) {
    const { nodes } = await services.provisioner.prepare(lab, { nodeIds, signal });
    for (const { nodeId, node } of replaces) {
      const processes = nodes.find((one) => one.node.id === node.id)?.processes;
      const needed = lost.filter((rank) => rank.nodeId === nodeId).length;
      if (processes !== needed) throw wrongState(keeper.current, phrase('reasons.run.processes', { needed }));
    }
    const known = lost.filter(({ nodeId }) => !newId.has(nodeId));
    await tryFolders(services.reach, lab, known, signal);
  }
  await keeper.change((now) => {
    const isSame = now.attempt === attempt && canRejoin(now, now.lab.experiment, now.ranks.length);
    const begins = isSame && now.recovery?.rejoins === true;
    if (begins && replaces.length === 0) return now;
    // They may have rejoined by themselves meanwhile.
    const free = new Set(isSame && !begins ? replaceable(now) : []);
    if (!isSame || !replaces.every(({ nodeId }) => free.has(nodeId))) throw wrongState(now, remedy);
    const rejoined = [...(now.recovery?.rejoined ?? []), secondsNow(services.clock)].slice(-maxRestarts);
    const replacing = replaces.length === 0 ? {} : { replaces: [...replaces] };
    return { ...now, recovery: { restarts: [], ...now.recovery, rejoins: true, rejoined, ...replacing } };
  });
}

/** Whether lost ranks are to rejoin by themselves, if no link is down. @param now Unix seconds */
export const isRejoinDue = (run: RunRecord, now: number): boolean =>
  wayBack(run, [], now)?.waits === 'nothing';

/**
 * Calls `rejoin` when it is due, and again with back-off where it rejects.
 * @returns ends it
 */
export function rejoinByItself({ services, keeper }: Parts, rejoin: () => Promise<void>): () => void {
  const { clock, settings, events } = services;
  const closing = new AbortController();
  // Ways that are cut are no failed attempt: it goes on as soon as they are back.
  const isDue = (): boolean =>
    isRejoinDue(keeper.current, secondsNow(clock)) &&
    (services.linksDown?.(keeper.current.labId) ?? []).length === 0;
  let working = false;
  const work = async (): Promise<void> => {
    for (let failures = 1; isDue(); failures += 1) {
      await clock.sleep(backOffMs(failures, settings.restart, clock.random()), closing.signal);
      if (!isDue()) return;
      try {
        await rejoin();
        return;
      } catch (error) {
        if (isCancelled(error)) throw error;
      }
    }
  };
  let looksAt: number | undefined;
  /** While the others train steadily nothing else would look again when the hour is over. */
  const lookLater = (): void => {
    const now = secondsNow(clock);
    const at = mayRejoinAt(keeper.current, now);
    if (at === undefined || at === looksAt) return;
    looksAt = at;
    clock
      .sleep((at - now) * 1000, closing.signal)
      .then(() => {
        looksAt = undefined;
        look();
      })
      // Rejected only where it is closed.
      .catch(() => undefined);
  };
  const look = (): void => {
    if (working || closing.signal.aborted) return;
    if (!isDue()) {
      lookLater();
      return;
    }
    working = true;
    // Rejected only where it is closed, or the run stopped.
    work()
      .catch(() => undefined)
      .finally(() => (working = false));
  };
  const unsubscribe = events.subscribe((event) => {
    const isOfRun = event.name === 'run.changed' && event.data.run.id === keeper.current.id;
    if (isOfRun || (event.name === 'net.changed' && event.data.state.labId === keeper.current.labId)) look();
  });
  // The node may have come back when no app was open.
  look();
  return () => {
    closing.abort(new RinglabError('cancelled'));
    unsubscribe();
  };
}
