/**
 * Finds a run's nodes again whose SSH address has changed: where the address in the run's record does not answer and the drawing gives
 * the same node another one, the run goes there, once that machine has proved to be the same.
 */
import { isDeepStrictEqual } from 'node:util';
import { isCancelled, RinglabError, toWireError } from '../../../shared/base/errors.ts';
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import { clusterOf } from '../../../shared/lab/reached.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Reach } from '../../local/index.ts';
import { isRefusal, type SshSession } from '../../ssh/index.ts';
import { lookScript, parseFolders, processOf } from '../launch/folder-look.ts';
import { parseProcess } from '../launch/ssh/sight.ts';
import type { RecordKeeper } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';

interface Parts {
  readonly services: Pick<RunServices, 'reach' | 'events' | 'settings' | 'labNow'>;
  readonly keeper: Pick<RecordKeeper, 'current' | 'change'>;
}

export interface DrawnAccess {
  /** Reaches nodes of the run as its record says, and where that fails as they are drawn now. */
  readonly reach: Reach;
  /** Looks for all nodes that are drawn with another address. Rejects only with `cancelled`. */
  find(signal: AbortSignal): Promise<void>;
  close(): void;
}

const nodeOf = (lab: LabDocument, nodeId: string): LabNode | undefined =>
  lab.nodes.find(({ id }) => id === nodeId);

/** The lab with another access for a node. */
const withAccess = (lab: LabDocument, nodeId: string, access: LabNode['access']): LabDocument => ({
  ...lab,
  nodes: lab.nodes.map((node) => (node.id === nodeId ? { ...node, access } : node)),
});

export function createDrawnAccess({ services, keeper }: Parts): DrawnAccess {
  const { reach, events, settings, labNow } = services;
  const closing = new AbortController();
  /** Nodes that did not answer where the record says: the drawn address is tried first, which takes no time-out. */
  const silent = new Set<string>();
  /** Addresses of other machines that have been reported. */
  const reported = new Set<string>();

  /** The run's lab with the node's access as it is drawn now; undefined where that is the same, or not of a machine over SSH. */
  const drawn = async (nodeId: string): Promise<LabDocument | undefined> => {
    const run = keeper.current;
    const before = nodeOf(run.lab, nodeId)?.access;
    if (labNow === undefined || before?.type !== 'ssh' || clusterOf(run.lab) !== undefined) return undefined;
    const now = nodeOf(await labNow(run), nodeId)?.access;
    if (now?.type !== 'ssh' || isDeepStrictEqual(now, before)) return undefined;
    return withAccess(run.lab, nodeId, now);
  };
  const atRecorded = async (lab: LabDocument, nodeId: string, signal?: AbortSignal): Promise<SshSession> => {
    const session = await reach.session(lab, nodeId, signal);
    silent.delete(nodeId);
    const { hostKeys, lab: known } = keeper.current;
    if (nodeOf(known, nodeId)?.access.type === 'ssh' && hostKeys?.[nodeId] !== session.hostKey)
      await keeper.change((run) => ({ ...run, hostKeys: { ...run.hostKeys, [nodeId]: session.hostKey } }));
    return session;
  };
  const atDrawn = async (lab: LabDocument, nodeId: string, signal?: AbortSignal): Promise<SshSession> => {
    // The host key of the new address is verified as any other, and asked about where it is unknown.
    const session = await reach.session(lab, nodeId, signal);
    const node = nodeOf(lab, nodeId);
    if (node === undefined) throw new RangeError('a node that was just found');
    if (!(await isSameMachine(session, keeper.current, nodeId, settings, signal))) {
      const { host } = session.target;
      const error = new RinglabError('other_machine', { node: node.name, host }, { where: node.name });
      const key = JSON.stringify([nodeId, node.access]);
      if (!reported.has(key)) events.emit('app.problem', { error: toWireError(error) });
      reported.add(key);
      throw error;
    }
    silent.delete(nodeId);
    await keeper.change((run) => ({
      ...run,
      lab: withAccess(run.lab, nodeId, node.access),
      hostKeys: { ...run.hostKeys, [nodeId]: session.hostKey },
    }));
    return session;
  };
  /** Undefined where it is not drawn elsewhere, or does not answer there either. */
  const tryDrawn = async (nodeId: string, signal?: AbortSignal): Promise<SshSession | undefined> => {
    const lab = await drawn(nodeId);
    return lab === undefined ? undefined : await atDrawn(lab, nodeId, signal).catch(onlyRefused);
  };
  const session: Reach['session'] = async (asked, nodeId, signal) => {
    // What was asked for may be older than the record.
    const lab = nodeOf(keeper.current.lab, nodeId) === undefined ? asked : keeper.current.lab;
    if (silent.has(nodeId))
      return (await tryDrawn(nodeId, signal)) ?? (await atRecorded(lab, nodeId, signal));
    try {
      return await atRecorded(lab, nodeId, signal);
    } catch (error) {
      if (isCancelled(error)) throw error;
      silent.add(nodeId);
      const found = await tryDrawn(nodeId, signal);
      if (found === undefined) throw error;
      return found;
    }
  };
  const look = async (nodeIds: readonly string[], signal: AbortSignal): Promise<void> => {
    const one = async (nodeId: string): Promise<void> => {
      if ((await drawn(nodeId)) === undefined) return;
      const reached = (): Promise<SshSession> => session(keeper.current.lab, nodeId, signal);
      try {
        // A connection that was made before may be one that gets no answers any more.
        await (await reached()).exec(':', { signal, timeoutMs: settings.readTimeout, brief: true });
      } catch (error) {
        if (isCancelled(error)) throw error;
        silent.add(nodeId);
        await reached().catch((again: unknown) => {
          if (isCancelled(again)) throw again;
        });
      }
    };
    await Promise.all(nodeIds.map(one));
  };
  const unsubscribe = events.subscribe((event) => {
    if (event.name !== 'lab.changed' || event.data.labId !== keeper.current.labId) return;
    // At once, not at the next try: a node that is followed again by this is one that answers.
    void look(Object.keys(keeper.current.unreachable), closing.signal).catch(() => undefined);
  });
  return {
    reach: { ...reach, session },
    find: (signal) =>
      look(
        keeper.current.lab.nodes.map(({ id }) => id),
        signal,
      ),
    close() {
      closing.abort(new RinglabError('cancelled'));
      unsubscribe();
    },
  };
}

/** A machine that refuses is not asked again and again, whatever the other address says. */
function onlyRefused(error: unknown): undefined {
  if (isCancelled(error) || isRefusal(error)) throw error;
  return undefined;
}

/**
 * Whether this is the machine that the run's ranks of the node were started on: it has their folders, with the processes that the
 * record names, and has not started anew since or has the host key of that machine. Nothing was started: any machine will do.
 */
async function isSameMachine(
  session: SshSession,
  run: RunRecord,
  nodeId: string,
  { bootIdFile, readTimeout }: RunServices['settings'],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const ranks = run.ranks.filter((rank) => rank.nodeId === nodeId && rank.directory !== '');
  if (ranks.length === 0) return true;
  const script = lookScript(
    ranks.map(({ directory }) => directory),
    bootIdFile,
  );
  const { stdout } = await session.exec(script, { signal, timeoutMs: readTimeout, brief: true });
  const { boot, folders } = parseFolders(stdout, ranks.length);
  return ranks.some(({ process }, index) => {
    const folder = folders[index] ?? {};
    const pid = process === undefined ? folder.pid : processOf(folder, run.attempt);
    if (pid === undefined) return false;
    const isNamed = process === undefined || parseProcess(JSON.stringify(pid), '').id === process.id;
    // With a home that machines share, another one has the same files.
    return isNamed && (pid.boot_id === boot || run.hostKeys?.[nodeId] === session.hostKey);
  });
}
