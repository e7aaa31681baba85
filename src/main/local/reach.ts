/** Opens a session to a drawn node, local or not, over SSH. */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { RinglabError, notFound } from '../../shared/base/errors.ts';
import type { LabDocument, LabNode } from '../../shared/lab/lab.ts';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { asReached, clusterOf, hasSharedFolder, sessionNodeId } from '../../shared/lab/reached.ts';
import { clusterName } from '../../shared/lab/where.ts';
import type { ConnectionState } from '../../shared/node/provision.ts';
import { unlessAborted } from '../base/abort.ts';
import { createKubernetes } from '../kubernetes/index.ts';
import type { SshPool, SshTarget } from '../ssh/index.ts';
import { clusterOwner } from './cluster-owner.ts';
import type { Reach } from './contract.ts';
import { inFolder } from './in-folder.ts';
import { keepKey, type AppKey } from './keys.ts';
import { unmarkDeleted } from './left-nodes.ts';
import type { AppServer } from './app-server.ts';
import { startNodeServer } from './node-server.ts';
import { startPodServer, type PodServerOptions } from './pod-server.ts';

export interface ReachOptions {
  readonly pool: SshPool;
  /** The app's data folder: `nodes/<lab>/<node>/home` are the local nodes' homes, `nodes/app_key` is the key for them. */
  readonly dataFolder: string;
  /** The user's home folder, of `~/.kube/config`. */
  readonly home?: string;
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
/** Of a cluster's access pod, which all labs there share. */
const podKey = (target: KubernetesTarget): string =>
  `kubernetes-${createHash('sha256').update(JSON.stringify(target)).digest('hex').slice(0, 16)}`;

export function createReach(options: ReachOptions): ReachWithStates {
  const { pool, dataFolder, onConnection } = options;
  const kubernetes = createKubernetes({
    home: options.home ?? homedir(),
    owner: () => clusterOwner(dataFolder),
  });
  const servers = new Map<string, Promise<AppServer>>();
  const states = new Map<string, ConnectionState>();
  /** The local nodes' names, as drawn now. */
  const names = new Map<string, string>();
  /** Nodes whose sessions lead to pods. */
  const throughPods = new Set<string>();
  /** That a command can run in a pod; forgotten where one could not. */
  const proofs = new Map<string, Promise<void>>();
  let appKey: Promise<AppKey> | undefined;
  let isClosed = false;

  /** One server for each node, shared by concurrent callers; a failed start is retried. */
  const serverOf = (
    name: string,
    start: (folder: string, allowed: Buffer) => Promise<AppServer>,
  ): Promise<AppServer> => {
    const running = servers.get(name);
    if (running !== undefined) return running;
    appKey ??= keepKey(join(dataFolder, 'nodes', 'app_key'));
    const starting = appKey.then(({ public: allowed }) => start(join(dataFolder, 'nodes', name), allowed));
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

  /** Of a node's pod: the name of its server, and how commands run in it. */
  const podOf = (
    lab: LabDocument,
    cluster: KubernetesTarget,
    nodeId: string,
  ): Pick<PodServerOptions, 'open'> & { readonly name: string } => {
    const there = kubernetes.cluster(cluster);
    const machines = hasSharedFolder(lab) ? undefined : there.machines(lab);
    const name = machines === undefined ? podKey(cluster) : `${machines.name}-${nodeId}`;
    return {
      name,
      async open(command, size) {
        try {
          return await (machines === undefined
            ? there.run(command, size)
            : machines.run(nodeId, command, size));
        } catch (error) {
          proofs.delete(name);
          throw error;
        }
      },
    };
  };
  /** Over SSH a refused command is a lost connection: what the cluster says of it is heard here. */
  const proven = ({ name, open }: ReturnType<typeof podOf>): Promise<void> => {
    const known = proofs.get(name);
    if (known !== undefined) return known;
    const proof = open(['/bin/sh', '-c', ':'], undefined).then((process) => process.close());
    proofs.set(name, proof);
    return proof;
  };

  const target = async (lab: LabDocument, nodeId: string): Promise<SshTarget> => {
    const node = nodeOf(asReached(lab), sessionNodeId(lab, nodeId));
    const cluster = clusterOf(lab);
    const nodeName = cluster !== undefined && hasSharedFolder(lab) ? clusterName(cluster) : node.name;
    const place = { labId: lab.id, nodeId: node.id, nodeName };
    const own = async (name: string, start: Parameters<typeof serverOf>[1]): Promise<SshTarget> => {
      if (isClosed) throw new RinglabError('cancelled');
      const server = await serverOf(name, start);
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
    if (cluster?.type === 'kubernetes') {
      throughPods.add(key(lab.id, node.id));
      const { name, open } = podOf(lab, cluster, node.id);
      return await own(name, (folder, allowed) => startPodServer({ folder, allowed, open }));
    }
    if (node.access.type === 'ssh') {
      const { host, port, user, authentication, jump } = node.access;
      return { ...place, host, port, user, authentication, ...(jump === undefined ? {} : { jump }) };
    }
    const name = key(lab.id, nodeId);
    names.set(name, node.name);
    const server = await own(name, async (folder, allowed) => {
      await unmarkDeleted(dataFolder, lab.id);
      return await startNodeServer(folder, allowed, () => names.get(name));
    });
    return { ...server, thisComputer: true };
  };

  return {
    target,
    cluster: (where) => kubernetes.cluster(where),
    async session(lab, nodeId, signal) {
      const cluster = clusterOf(lab);
      // Before the connection, so that the cluster's own words are heard where there is none.
      if (cluster?.type === 'kubernetes') {
        const there = kubernetes.cluster(cluster);
        if (hasSharedFolder(lab)) await there.access(signal);
        else await there.machines(lab).pod(nodeId, signal);
        await unlessAborted(proven(podOf(lab, cluster, nodeOf(lab, nodeId).id)), signal);
      }
      const session = await pool.session(await target(lab, nodeId), signal);
      const folder = cluster?.type === 'slurm' ? cluster.folder : undefined;
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
      for (const name of [...servers.keys(), ...throughPods]) {
        const [labId = '', nodeId = ''] = name.split('/');
        pool.drop(labId, nodeId);
      }
      servers.clear();
      await kubernetes.close();
      await Promise.all(running.map(async (server) => (await server.catch(() => undefined))?.close()));
    },
  };
}
