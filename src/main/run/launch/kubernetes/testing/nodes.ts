/**
 * For tests: machines of a control plane that run its pods. A **stand-in**, no kubelet: each pod is a machine of namespaces with
 * its volumes, its name in every pod's hosts file, a root file system that is read only, and the user and rights of its security
 * context; its image is this machine. What it reports to the API server, and how pods end, is as a kubelet does it; commands in
 * pods are served by the kubelet's own code for streams (go/kubelet-streams). Needs root.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { raiseMachine, type Machine } from '../../testing/machine.ts';
import type { ControlPlane } from './control-plane.ts';
import { buildGo } from './go-programs.ts';

export interface NodesOptions {
  readonly names: readonly string[];
  /** What each of them offers. */
  readonly offers: Readonly<Record<string, string>>;
  /** The claim of this name, in the namespace `default`, is a folder of this machine. */
  readonly claim: { readonly name: string; readonly folder: string };
  /** The images' PATH. */
  readonly path: string;
}

export interface StandInNodes {
  close(): Promise<void>;
}

const Pod = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    deletionTimestamp: z.string().optional(),
    deletionGracePeriodSeconds: z.number().default(30),
    labels: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.object({
    nodeName: z.string().optional(),
    hostname: z.string().optional(),
    subdomain: z.string().optional(),
    securityContext: z.object({
      runAsUser: z.number(),
      runAsGroup: z.number(),
      fsGroup: z.number(),
    }),
    volumes: z.array(
      z.object({
        name: z.string(),
        emptyDir: z.object({ medium: z.string().optional() }).optional(),
        persistentVolumeClaim: z.object({ claimName: z.string() }).optional(),
      }),
    ),
    containers: z
      .array(
        z.object({
          name: z.string(),
          image: z.string(),
          command: z.array(z.string()),
          env: z.array(z.object({ name: z.string(), value: z.string().optional() })).default([]),
          volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
        }),
      )
      .length(1),
  }),
  status: z.object({ phase: z.string() }),
});
type Pod = z.infer<typeof Pod>;

/** Images with this in their names are in no registry. */
export const missingImage = 'registry.example/missing:1';
const merge = 'application/merge-patch+json';
const pollEvery = 250;

interface Running {
  readonly pod: Pod;
  machine: Machine | undefined;
  ending: boolean;
  isOver: boolean;
}

/** Asked anew each time: it ends while others wait. */
const isRunning = ({ isOver }: Running): boolean => !isOver;

export async function startNodes(plane: ControlPlane, options: NodesOptions): Promise<StandInNodes> {
  const { names, offers, claim, path } = options;
  const program = buildGo('kubelet-streams');
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-nodes-'));
  await chmod(folder, 0o755);
  const entries = join(folder, 'entries');
  await mkdir(entries);
  const hosts = join(folder, 'hosts');
  await writeFile(hosts, '127.0.0.1 localhost\n');
  const port = await freePort(plane.inside);
  const streams = spawn(program, ['-pods', entries, '-host', plane.inside, '-port', String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(streams.stdout, 'data');

  const request = async (method: string, where: string, body?: unknown, type?: string): Promise<unknown> => {
    const answer = await plane.request(method, where, body, type);
    if (answer.status >= 300 && answer.status !== 404 && answer.status !== 409)
      throw new Error(`${method} ${where}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await offerClaim(request, claim.name);
  for (const name of names) await offerNode(request, name, offers, plane.inside, port);

  const running = new Map<string, Running>();
  let taken = 0;
  let isClosed = false;

  const report = async (pod: Pod, status: object): Promise<unknown> =>
    await request('PATCH', `/api/v1/namespaces/default/pods/${pod.metadata.name}/status`, { status }, merge);
  const container = (pod: Pod, state: object): object => ({
    containerStatuses: [
      {
        name: pod.spec.containers[0]?.name,
        image: pod.spec.containers[0]?.image,
        imageID: '',
        ready: 'running' in state,
        restartCount: 0,
        state,
      },
    ],
  });
  const start = async (one: Running): Promise<void> => {
    const { pod } = one;
    const [only] = pod.spec.containers;
    if (only === undefined) return;
    if (only.image === missingImage) {
      const message = `Back-off pulling image "${missingImage}": not found`;
      await report(pod, {
        phase: 'Pending',
        ...container(pod, { waiting: { reason: 'ImagePullBackOff', message } }),
      });
      return;
    }
    const { name, labels } = pod.metadata;
    const own = pod.spec.hostname ?? name;
    const address = `10.79.0.${(taken = (taken % 240) + 1) + 10}`;
    const binds = await volumes(pod, join(folder, name), claim);
    const machine = await raiseMachine({
      name: own,
      boot: 'mount -o remount,bind,ro /',
      binds: [['/etc/hosts', hosts], ...binds],
    });
    one.machine = machine;
    await plane.network.plug(machine, address);
    await machine.boot();
    const { subdomain } = pod.spec;
    await writeFile(hosts, `${address} ${subdomain === undefined ? own : `${own}.${subdomain} ${own}`}\n`, {
      flag: 'a',
    });
    const { runAsUser, runAsGroup, fsGroup } = pod.spec.securityContext;
    const confined = [
      ...['setpriv', `--reuid=${runAsUser}`, `--regid=${runAsGroup}`, `--groups=${fsGroup}`],
      ...['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'],
    ];
    const env = {
      PATH: path,
      JOB_COMPLETION_INDEX: labels['batch.kubernetes.io/job-completion-index'] ?? '',
      // The number comes from a label, by a field that has no value.
      ...Object.fromEntries(
        only.env.flatMap((variable) =>
          variable.value === undefined ? [] : [[variable.name, variable.value] as const],
        ),
      ),
    };
    const logFile = join(entries, `${name}.log`);
    const log = openSync(logFile, 'a');
    const inMachine = [...machine.through, 'sh', '-c', 'echo $$ >/run/container.pid; exec "$@"', 'sh'];
    const [run = '', ...rest] = [...inMachine, ...confined, ...only.command];
    const child = spawn(run, rest, { stdio: ['ignore', log, log], env, cwd: '/' });
    closeSync(log);
    await writeFile(
      join(entries, `${name}.json`),
      JSON.stringify({
        enter: [...machine.through, 'setsid', ...confined],
        env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
      }),
    );
    await report(pod, {
      phase: 'Running',
      podIP: address,
      podIPs: [{ ip: address }],
      startTime: new Date().toISOString(),
      conditions: [{ type: 'Ready', status: 'True' }],
      ...container(pod, { running: { startedAt: new Date().toISOString() } }),
    });
    void ended(child).then((code) => over(one, code));
  };
  /** The container ended, by itself or because its pod is deleted. */
  const over = async (one: Running, exitCode: number): Promise<void> => {
    one.isOver = true;
    const { pod, machine } = one;
    await rm(join(entries, `${pod.metadata.name}.json`), { force: true });
    await machine?.close();
    if (isClosed) return;
    const state = { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } };
    await report(pod, { phase: exitCode === 0 ? 'Succeeded' : 'Failed', ...container(pod, state) }).catch(
      () => undefined,
    );
  };
  const erase = async ({ metadata }: Pod): Promise<void> => {
    const body = { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } };
    await request('DELETE', `/api/v1/namespaces/default/pods/${metadata.name}`, body);
  };
  /** As a kubelet: the first process is asked to end, then killed; then the pod is gone. */
  const end = async (one: Running, pod: Pod): Promise<void> => {
    const { machine } = one;
    if (machine !== undefined && isRunning(one)) {
      await machine.sh('kill -TERM "$(cat /run/container.pid)"').catch(() => undefined);
      const until = performance.now() + pod.metadata.deletionGracePeriodSeconds * 1000;
      while (isRunning(one) && performance.now() < until) await pause(100);
      await machine.close();
    }
    while (machine !== undefined && isRunning(one)) await pause(50);
    await erase(pod);
  };
  const tick = async (): Promise<void> => {
    const body = await request('GET', '/api/v1/namespaces/default/pods');
    const pods = z.object({ items: z.array(Pod) }).parse(body).items;
    const there = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const pod of pods) {
      const { uid, deletionTimestamp } = pod.metadata;
      if (pod.spec.nodeName === undefined || !names.includes(pod.spec.nodeName)) continue;
      const known = running.get(uid);
      if (known === undefined && deletionTimestamp === undefined && pod.status.phase === 'Pending') {
        const one: Running = { pod, machine: undefined, ending: false, isOver: false };
        running.set(uid, one);
        start(one).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
      } else if (deletionTimestamp !== undefined && known?.ending !== true) {
        const one = known ?? { pod, machine: undefined, ending: false, isOver: true };
        one.ending = true;
        running.set(uid, one);
        end(one, pod).catch(() => (one.ending = false));
      }
    }
    // Deleted by force: nobody waits for them.
    for (const [uid, one] of running)
      if (!there.has(uid)) {
        running.delete(uid);
        await one.machine?.close();
      }
  };
  const ticking = (async () => {
    while (!isClosed) {
      await tick().catch(() => undefined);
      await pause(pollEvery);
    }
  })();

  return {
    async close() {
      isClosed = true;
      await ticking;
      for (const { machine } of running.values()) await machine?.close();
      streams.stdin.end();
      if (streams.exitCode === null) await once(streams, 'exit');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const ended = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => child.once('close', (code) => resolve(code ?? 137)));

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The volumes that are mounted, as a kubelet makes them: with fsGroup's rights. */
async function volumes(
  { spec }: Pod,
  folder: string,
  claim: NodesOptions['claim'],
): Promise<[string, string][]> {
  const mounts = spec.containers[0]?.volumeMounts ?? [];
  const found: [string, string][] = [];
  // The folders themselves are in this machine's /tmp.
  const sorted = mounts.toSorted((a, b) => Number(a.mountPath === '/tmp') - Number(b.mountPath === '/tmp'));
  for (const { name, mountPath } of sorted) {
    const volume = spec.volumes.find((one) => one.name === name);
    // A machine has its own.
    if (volume === undefined || volume.emptyDir?.medium === 'Memory') continue;
    if (volume.persistentVolumeClaim?.claimName === claim.name) {
      found.push([mountPath, claim.folder]);
      continue;
    }
    const own = join(folder, name);
    await mkdir(own, { recursive: true });
    await chown(own, 0, spec.securityContext.fsGroup);
    await chmod(own, 0o2777);
    found.push([mountPath, own]);
  }
  return found;
}

type Request = (method: string, path: string, body?: unknown, type?: string) => Promise<unknown>;

/** As the volume controller leaves it: the scheduler waits for a claim that is not bound. */
async function offerClaim(request: Request, name: string): Promise<void> {
  const common = { accessModes: ['ReadWriteMany'], storageClassName: '' };
  await request('POST', '/api/v1/persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      ...common,
      capacity: { storage: '10Gi' },
      hostPath: { path: '/nowhere' },
      claimRef: { namespace: 'default', name },
    },
  });
  await request('PATCH', `/api/v1/persistentvolumes/${name}/status`, { status: { phase: 'Bound' } }, merge);
  await request('POST', '/api/v1/namespaces/default/persistentvolumeclaims', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { ...common, volumeName: name, resources: { requests: { storage: '10Gi' } } },
  });
  await request(
    'PATCH',
    `/api/v1/namespaces/default/persistentvolumeclaims/${name}/status`,
    { status: { phase: 'Bound' } },
    merge,
  );
}

async function offerNode(
  request: Request,
  name: string,
  offers: Readonly<Record<string, string>>,
  address: string,
  port: number,
): Promise<void> {
  await request('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  });
  const status = {
    capacity: offers,
    allocatable: offers,
    addresses: [{ type: 'InternalIP', address }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    conditions: [{ type: 'Ready', status: 'True', reason: 'StandIn', message: '' }],
  };
  await request('PATCH', `/api/v1/nodes/${name}/status`, { status }, merge);
  await request('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: null } }, merge);
}
