/** Starts a run as a job of a Kubernetes cluster: its pods share the claim, on which all files of the run lie. */
import * as z from 'zod';
import type { Job } from 'kubernetes-types/batch/v1';
import type { Service } from 'kubernetes-types/core/v1';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { JobSet } from '../../../../shared/lab/job-set.ts';
import {
  ownedBy,
  podJobName,
  podNames,
  podPlaces,
  podScriptFile,
  runObjects,
} from '../../../../shared/lab/kubernetes-job.ts';
import type { KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import type { Clock } from '../../../base/clock.ts';
import {
  asNamespaceWants,
  createObject,
  createStuckPods,
  deletePods,
  jobOf,
  pathOf,
  patiently,
  usesJobSet,
  type KubernetesCluster,
} from '../../../kubernetes/index.ts';
import { lastWords, shellQuote, type SshSession } from '../../../ssh/index.ts';
import type { LaunchOrder, Launcher, NodeOrders, Sight } from '../../record/launcher.ts';
import { exitOf, lookScript, parseFolders, readJson } from '../folder-look.ts';
import { orderFiles, putFile } from '../order-files.ts';
import { createJobSignals } from '../job-signals.ts';
import { rankSupervision, taskScript } from '../task-script.ts';
import { jobNameOf, JobName, podProcess } from './pod-process.ts';
import { podArgv, podScript } from './pod-script.ts';
import { jobState, keptPods, rankSight, type PodAnswer, type RunObjects } from './pod-sight.ts';
import type { Phrase } from '../../../../shared/base/phrase.ts';
import { phrase } from '../../../i18n/index.ts';

export interface KubernetesLauncherOptions {
  readonly lab: LabDocument;
  readonly target: KubernetesTarget;
  readonly cluster: KubernetesCluster;
  /** To the access pod. */
  session(signal?: AbortSignal): Promise<SshSession>;
  readonly clock: Clock;
  readonly bootIdFile: string;
  /** Time-out in milliseconds for a look. */
  readonly timeout: number;
}

/** Milliseconds for which the API may be away while the objects are created, and while those of a start that failed are deleted. */
const awayMs = 60_000;
/** Earlier attempts whose jobs may have been left in the cluster. */
const attemptsBefore = 5;
/** Nodes whose files are written by one command. */
const nodesAtOnce = 16;

type RunObject = ReturnType<typeof runObjects>[number];

/** In the run's folder: the name of an attempt's job or JobSet, and the nodes in the order of its pods. */
const JobFile = z.object({
  name: JobName,
  nodes: z.array(z.string().max(200)).max(100_000),
  isSet: z.boolean().default(false),
});
const jobFile = (attempt: number): string => `pods-${attempt}.json`;

export function createKubernetesLauncher(options: KubernetesLauncherOptions): Launcher {
  const { lab, target, cluster, clock, bootIdFile, timeout } = options;
  const { api } = cluster;
  const overAt = new Map<string, number>();
  const cleaned = new Set<string>();
  const unstick = createStuckPods(api, clock, true);

  const runOf = ({ directory }: LaunchOrder): string => directory.replace(/\/[^/]+$/, '');
  const idOf = (runFolder: string): string => runFolder.slice(runFolder.lastIndexOf('/') + 1);

  const inPod = (argv: readonly string[], ranks: number): readonly string[] =>
    lab.experiment.script === undefined ? podArgv(argv, ranks) : argv;
  const filesOf = (node: NodeOrders, ranks: number): string => {
    const folder = ({ directory }: LaunchOrder): string =>
      `mkdir -p ${shellQuote(directory)} && cd ${shellQuote(directory)} || exit 1\n`;
    const orders = node.ranks.map((given, place) => {
      const order = {
        ...given,
        argv: inPod(given.argv, ranks),
        againArgv: given.againArgv === undefined ? undefined : inPod(given.againArgv, ranks),
      };
      // The pod itself says what its address is.
      const how = { ...rankSupervision(0, order.attempt), before: '' };
      return `${folder(order)}${orderFiles(order, bootIdFile, how)}${putFile('task.sh', taskScript(node, place))}`;
    });
    const beside = node.beside.map((order) => `${folder(order)}${orderFiles(order, bootIdFile)}`);
    return [...orders, ...beside].join('');
  };
  const write = async (script: string, what: Phrase): Promise<void> => {
    const session = await options.session();
    const result = await session.exec(script, { timeoutMs: 120_000 });
    if (result.code === 0) return;
    throw new RinglabError(
      'command_failed',
      { code: result.code ?? -1, command: what },
      { where: await api.name(), detail: lastWords(result) },
    );
  };
  /** Creates one object, or finds it again where an earlier connection broke after its creation. */
  const create = async (path: string, one: Job | Service | JobSet): Promise<unknown> => {
    const attempt = async (): Promise<unknown> => {
      const created = await createObject(api, path, one, clock);
      if (created !== undefined) return created.body;
      return (await api.request({ method: 'GET', path: `${path}/${one.metadata?.name ?? ''}` })).body;
    };
    return await patiently(attempt, clock, awayMs);
  };
  /** @returns whether it was there */
  const erase = async (name: string, signal?: AbortSignal): Promise<boolean> => {
    const query = { propagationPolicy: 'Background' };
    for (const kind of ['jobs', 'jobsets'] as const) {
      const path = `${await pathOf(api, kind)}/${name}`;
      // A cluster without JobSets does not know them, and an account need not have rights to them.
      const expects = kind === 'jobs' ? [404, 409] : [403, 404, 409];
      const { status } = await api.request({ method: 'DELETE', path, query, expects, signal });
      if (status !== 403 && status !== 404) return true;
    }
    return false;
  };
  const createAll = async (objects: readonly RunObject[], name: string): Promise<void> => {
    const [first, ...others] = objects;
    if (first?.kind === 'JobSet') return void (await create(await pathOf(api, 'jobsets'), first));
    if (first === undefined) throw new RangeError('no pods to start');
    const created = jobOf(await create(await pathOf(api, 'jobs'), first));
    if (created === undefined)
      throw new RinglabError('internal', {}, { detail: 'the API server’s answer holds no Job' });
    // The cluster deletes the others with the first.
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid: created.uid, blockOwnerDeletion: false };
    for (const one of others)
      if (one.kind !== 'JobSet')
        await create(await pathOf(api, one.kind === 'Service' ? 'services' : 'jobs'), ownedBy(one, owner));
  };
  const submit = async (objects: readonly RunObject[], name: string): Promise<void> => {
    try {
      await createAll(objects, name);
    } catch (error) {
      // Also where the first was not answered: it may be there, would train, and nobody would follow it.
      await patiently(() => erase(name), clock, awayMs).catch(() => undefined);
      throw error;
    }
  };
  /** A JobSet stands for its Jobs until its controller has made them. */
  const withSet = async (name: string, seen: RunObjects, signal?: AbortSignal): Promise<RunObjects> => {
    if (seen.jobs.length > 0) return seen;
    const path = `${await pathOf(api, 'jobsets')}/${name}`;
    const set = jobOf((await api.request({ method: 'GET', path, expects: [404], signal })).body);
    return set === undefined ? seen : { ...seen, jobs: [set] };
  };
  const killPods = async (name: string, signal?: AbortSignal): Promise<void> => {
    const { pods } = await cluster.watch(name).seen(signal);
    const path = await pathOf(api, 'pods');
    const query = { gracePeriodSeconds: '0' };
    for (const pod of pods)
      await api.request({ method: 'DELETE', path: `${path}/${pod.name}`, query, expects: [404], signal });
  };
  const endJob = async (name: string, how: 'TERM' | 'KILL', signal?: AbortSignal): Promise<boolean> => {
    const wasThere = await erase(name, signal);
    if (how === 'KILL') await killPods(name, signal);
    return wasThere || how === 'KILL';
  };
  /** Of attempts whose start failed while the API was away: their ranks would write in the same folders. */
  const endEarlier = async (runId: string, attempt: number): Promise<void> => {
    for (let one = Math.max(1, attempt - attemptsBefore); one < attempt; one += 1) {
      const name = podJobName(runId, one);
      if (!(await patiently(() => erase(name), clock, awayMs))) continue;
      await killPods(name);
      cluster.watch(name).stop();
    }
  };
  /** When every rank has ended: nothing of the run is left in the cluster but its files. */
  const cleanUp = async (name: string, session: SshSession, runFolder: string): Promise<void> => {
    if (cleaned.has(name)) return;
    cleaned.add(name);
    try {
      await erase(name);
      await session.exec(`rm -f ${shellQuote(runFolder)}/rank-*/secret-*`, {
        timeoutMs: timeout,
        brief: true,
      });
      cluster.watch(name).stop();
    } catch {
      // The next look tries again; after a week the cluster itself deletes the job.
      cleaned.delete(name);
    }
  };
  const signals = createJobSignals(clock);

  return {
    async startAll(nodes, listener) {
      const [first] = nodes[0]?.ranks ?? [];
      if (first === undefined) throw new RangeError('no ranks to start');
      const { attempt } = first;
      const runFolder = runOf(first);
      const name = podJobName(idOf(runFolder), attempt);
      const order = nodes.map(({ ranks }) => ranks[0]?.nodeId ?? '');
      const count = nodes.reduce((sum, { ranks }) => sum + ranks.length, 0);
      for (let from = 0; from < nodes.length; from += nodesAtOnce) {
        const some = nodes.slice(from, from + nodesAtOnce);
        await write(some.map((node) => filesOf(node, count)).join(''), phrase('nodeCommands.rankFiles'));
      }
      const isSet = await usesJobSet(api, lab, order);
      const objects = { lab, target, order, name, runFolder, attempt, isSet };
      const script = podScript({
        ...{ runFolder, attempt, nodes },
        names: podNames(objects),
        port: lab.experiment.port,
        isScript: lab.experiment.script !== undefined,
      });
      // Before the job is there: an app that ends meanwhile finds it again.
      const known = `${JSON.stringify({ name, nodes: order, isSet })}\n`;
      await write(
        `cd ${shellQuote(runFolder)} || exit 1\n${putFile(podScriptFile(attempt), script)}${putFile(jobFile(attempt), known)}`,
        phrase('nodeCommands.podFiles'),
      );
      await endEarlier(idOf(runFolder), attempt);
      const wanted = await patiently(
        () => asNamespaceWants(api, runObjects(objects), () => undefined),
        clock,
        awayMs,
      );
      await submit(wanted, name);
      const job = { id: name, state: 'Pending', waits: true, reason: 'NoPods' };
      for (const one of nodes.flatMap(({ ranks }) => ranks))
        await listener.started(one, podProcess(name), job);
    },
    async signal(order, process, name, signal) {
      // What runs beside the ranks ends with them.
      if (!isRank(order)) return false;
      const job = jobNameOf(process);
      return await signals.send(job, name, () => endJob(job, name, signal));
    },
    async look(orders, signal) {
      const [first] = orders;
      if (first === undefined) return [];
      const session = await options.session(signal);
      const runFolder = runOf(first);
      const { attempt } = first;
      const file = shellQuote(`${runFolder}/${jobFile(attempt)}`);
      const { stdout } = await session.exec(
        `printf 'job %s\\n' "$(cat ${file} 2>/dev/null)"\n${lookScript(
          orders.map(({ directory }) => directory),
          bootIdFile,
        )}`,
        { signal, timeoutMs: timeout, brief: true },
      );
      const { folders } = parseFolders(stdout, orders.length);
      const known = readJson(JobFile, /^job (\{.*\})$/m.exec(stdout)?.[1] ?? '');
      if (known === undefined) return orders.map((): Sight => ({ state: 'absent' }));
      const { name, nodes, isSet } = known;
      const watched = await cluster.watch(name).seen(signal);
      const seen = isSet ? await withSet(name, watched, signal) : watched;
      await deletePods(api, keptPods(seen), { signal });
      await unstick(seen.pods, signal);
      const now = clock.ticks();
      if (jobState(seen) === 'active') overAt.delete(name);
      else if (!overAt.has(name)) overAt.set(name, now);
      const places = podPlaces({ lab, order: nodes, name, isSet });
      const answer: PodAnswer = {
        ...{ process: podProcess(name), job: name, cluster: await api.name(), seen, places, now },
        overAt: overAt.get(name),
        asked: signals.asked(name),
      };
      const sights = orders.map((order, index) => {
        const exit = exitOf(folders[index] ?? {}, attempt);
        // A monitor has no part in the job's fate.
        if (!isRank(order) && exit !== undefined)
          return { state: 'exited', exit, process: answer.process } as const;
        return rankSight(places[nodes.indexOf(order.nodeId)], exit, answer);
      });
      const ranks = sights.filter((_, index) => orders[index] !== undefined && isRank(orders[index]));
      if (ranks.length > 0 && ranks.every(({ state }) => state === 'exited' || state === 'revoked'))
        await cleanUp(name, session, runFolder);
      return sights;
    },
  };
}

const isRank = ({ label }: LaunchOrder): boolean => label.startsWith('rank-');
