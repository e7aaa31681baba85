/** Opens a session to a drawn node, local or not, over SSH. */
import { join } from 'node:path';
import { RinglabError, notFound } from '../../shared/base/errors.ts';
import type { LabDocument, LabNode } from '../../shared/lab/lab.ts';
import { asReached, sessionNodeId, slurmOf } from '../../shared/lab/reached.ts';
import type { ConnectionState } from '../../shared/node/provision.ts';
import type { SshPool, SshTarget } from '../ssh/index.ts';
import type { Reach } from './contract.ts';
import { inFolder } from './in-folder.ts';
import { keepKey, type AppKey } from './keys.ts';
import { startNodeServer, type NodeServer } from './node-server.ts';

export interface ReachOptions {
  readonly pool: SshPool;
  /** The app's data folder: `nodes/<lab>/<node>/home` are the local nodes' homes, `nodes/app_key` is the key for them. */
  readonly dataFolder: string;
  /** Called at every change of a connection, for the windows. */
  readonly onConnection?: (state: ConnectionState) => void;
}

/** Collects the states that `createSshPool` reports, so that a lab's connections can be listed. */
export interface ReachWithStates extends Reach {
  /** The pool's `onState`. */
  onState(state: ConnectionState): void;
  /** Closes a node's connection and, for a local node, its server; its files stay. */
  forget(labId: string, nodeId: string): Promise<void>;
}

/** Maximum number of states; the oldest idle ones are dropped first. */
const maxStates = 10_000;

const key = (labId: string, nodeId: string): string => `${labId}/${nodeId}`;

export function createReach(options: ReachOptions): ReachWithStates {
  const { pool, dataFolder, onConnection } = options;
  const servers = new Map<string, Promise<NodeServer>>();
  const states = new Map<string, ConnectionState>();
  /** The local nodes' names, as drawn now. */
  const names = new Map<string, string>();
  let appKey: Promise<AppKey> | undefined;
  let isClosed = false;

  /** One server for each node, shared by concurrent callers; a failed start is retried. */
  const serverOf = (labId: string, nodeId: string): Promise<NodeServer> => {
    const name = key(labId, nodeId);
    const running = servers.get(name);
    if (running !== undefined) return running;
    appKey ??= keepKey(join(dataFolder, 'nodes', 'app_key'));
    const starting = appKey.then(({ public: allowed }) =>
      startNodeServer(join(dataFolder, 'nodes', labId, nodeId), allowed, () => names.get(name)),
    );
    servers.set(name, starting);
    starting.catch(() => {
      servers.delete(name);
      appKey = undefined;
    });
    return starting;
  };

  const nodeOf = (lab: LabDocument, nodeId: string): LabNode => {
    const node = lab.nodes.find(({ id }) => id === nodeId);
    if (node === undefined) throw notFound('node', nodeId, lab.name);
    return node;
  };

  const target = async (lab: LabDocument, nodeId: string): Promise<SshTarget> => {
    const node = nodeOf(asReached(lab), sessionNodeId(lab, nodeId));
    const place = { labId: lab.id, nodeId: node.id, nodeName: slurmOf(lab)?.login.host ?? node.name };
    if (node.access.type === 'ssh') {
      const { host, port, user, authentication, jump } = node.access;
      return { ...place, host, port, user, authentication, ...(jump === undefined ? {} : { jump }) };
    }
    if (isClosed) throw new RinglabError('cancelled');
    names.set(key(lab.id, nodeId), node.name);
    const server = await serverOf(lab.id, nodeId);
    const { private: privateKey } = await (appKey ?? keepKey(join(dataFolder, 'nodes', 'app_key')));
    return {
      ...place,
      host: server.host,
      port: server.port,
      user: server.user,
      authentication: { method: 'app-key', privateKey },
      pinnedHostKey: server.hostKey,
    };
  };

  return {
    target,
    async session(lab, nodeId, signal) {
      const session = await pool.session(await target(lab, nodeId), signal);
      const folder = slurmOf(lab)?.folder;
      return folder === undefined ? session : inFolder(session, folder);
    },
    connections: (labId) => [...states.values()].filter((state) => state.labId === labId),
    onState(state) {
      const name = key(state.labId, state.nodeId);
      // Deleted and inserted again: the map is ordered by the last change, so that the oldest idle one is dropped
      // first.
      states.delete(name);
      states.set(name, state);
      if (states.size > maxStates) {
        const oldest = [...states].find(([, { state: word }]) => word === 'idle');
        if (oldest !== undefined) states.delete(oldest[0]);
      }
      onConnection?.(state);
    },
    async forget(labId, nodeId) {
      const name = key(labId, nodeId);
      pool.drop(labId, nodeId);
      // The windows show what became of its last connection until then.
      if (states.delete(name)) onConnection?.({ labId, nodeId, state: 'idle', since: Date.now() / 1000 });
      const server = servers.get(name);
      servers.delete(name);
      names.delete(name);
      await (await server?.catch(() => undefined))?.close();
    },
    async close() {
      isClosed = true;
      const running = [...servers.values()];
      // Closed intentionally, so that no lost connection is reported.
      for (const name of servers.keys()) {
        const [labId = '', nodeId = ''] = name.split('/');
        pool.drop(labId, nodeId);
      }
      servers.clear();
      await Promise.all(running.map(async (server) => (await server.catch(() => undefined))?.close()));
    },
  };
}
