/** Starts a run as one job of a Slurm cluster, through its login node: the compute nodes share the home folder. */
import { phrase } from '../../../i18n/index.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import {
  dataOnNodes,
  jobName,
  jobParts,
  jobScript,
  nodeLocalFolder,
  preemptedFile,
  secretsOf,
} from '../../../../shared/lab/slurm-script.ts';
import type { RunJob } from '../../../../shared/run/run-job.ts';
import type { SlurmTarget } from '../../../../shared/lab/where.ts';
import { withoutFilters } from '../../../../shared/node/slurm-variables.ts';
import type { Clock } from '../../../base/clock.ts';
import { shellQuote, type SshSession } from '../../../ssh/index.ts';
import type { LaunchOrder, Launcher, NodeOrders, Sight } from '../../record/launcher.ts';
import { exitOf, filesScript, parseFolders, processOf } from '../folder-look.ts';
import { orderFiles, putFile } from '../order-files.ts';
import type { SeenJob, SlurmController } from './controller.ts';
import { createGrowth, createHeardNodes, type Growth } from './heard-nodes.ts';
import type { LeftJobs } from './left-jobs.ts';
import { rankSight } from './job-sight.ts';
import { isOver, runJobOf, takenAway } from './job-states.ts';
import { JobId, jobOf, jobProcess } from './slurm-process.ts';
import { stagingOf } from './staging-orders.ts';
import {
  allowStaging,
  stagingLog,
  stagingScript,
  stagingScriptFile,
  startStaging,
  type StagedState,
} from './staging-script.ts';
import { stopScript } from './stop-script.ts';
import { commandFailed, createSubmission } from './submission.ts';
import { submissionState, underWayScript } from './under-way.ts';
import { createJobSignals, type JobSignal } from '../job-signals.ts';
import { rankSupervision, taskScript } from '../task-script.ts';

export interface SlurmLauncherOptions {
  readonly lab: LabDocument;
  readonly slurm: SlurmTarget;
  /** To the login node. */
  session(signal?: AbortSignal): Promise<SshSession>;
  readonly controller: SlurmController;
  readonly left: LeftJobs;
  readonly clock: Clock;
  readonly bootIdFile: string;
  /** Time-out in milliseconds for a look or a signal. */
  readonly timeout: number;
}

/** Nodes whose files are written by one command. */
const nodesAtOnce = 16;

export function createSlurmLauncher(options: SlurmLauncherOptions): Launcher {
  const { lab, slurm, controller, left, clock, bootIdFile, timeout } = options;
  const cluster = slurm.login.host;
  const local = nodeLocalFolder(slurm);
  /** By a run's folder, what was last seen of its job, where the nodes share no folder. */
  const stagedStates = new Map<string, StagedState>();
  /** By folder, since when its process is known to have ended otherwise than well. */
  const endedAt = new Map<string, number>();
  /** By folder, when a process ended whose job was then requeued: its file stays until the job starts again. */
  const staleEnds = new Map<string, number>();
  /** By folder, since when its process is known to run. */
  const startedAt = new Map<string, number>();
  const overAt = new Map<string, number>();
  /** By a job that the controller does not know any more. */
  const growths = new Map<string, Growth>();
  const isScript = lab.experiment.script !== undefined;
  const isAgent = lab.experiment.script?.launch === 'torchrun';
  const heardNodes = createHeardNodes(clock);

  const runOf = ({ directory }: LaunchOrder): string => directory.replace(/\/[^/]+$/, '');
  const idOf = (runFolder: string): string => runFolder.slice(runFolder.lastIndexOf('/') + 1);
  const filesOf = (node: NodeOrders, index: number): string => {
    const orders = node.ranks.map(
      (order, place) =>
        `mkdir -p ${shellQuote(order.directory)} && cd ${shellQuote(order.directory)} || exit 1\n${orderFiles(order, bootIdFile, { ...rankSupervision(index, order.attempt), isAgent })}${putFile('task.sh', taskScript(node, place))}`,
    );
    const beside = node.beside.map(
      (order) =>
        `mkdir -p ${shellQuote(order.directory)} && cd ${shellQuote(order.directory)} || exit 1\n${orderFiles(order, bootIdFile)}`,
    );
    return [...orders, ...beside].join('');
  };
  const signalJob = async (
    id: string,
    runFolder: string,
    name: JobSignal,
    signal?: AbortSignal,
  ): Promise<boolean> => {
    const session = await options.session(signal);
    const kill = `${withoutFilters}; scancel --signal=KILL ${id}; scancel ${id}`;
    const script = name === 'TERM' ? stopScript(id, runFolder) : kill;
    controller.commanded();
    const result = await session.exec(script, { signal, timeoutMs: timeout, brief: true });
    return result.code === 0;
  };
  /** The last lines of the job's own output; undefined where it left no file here. */
  const saidBy = async (
    session: SshSession,
    runFolder: string,
    id: string,
    attempt: number,
  ): Promise<string | undefined> => {
    const files = [`slurm-${id}.out`, ...(local === undefined ? [] : [stagingLog(attempt)])];
    const tail = (file: string): string => `[ ! -e ${file} ] || { tail -c 4096 ${file} | tail -n 20; }`;
    const found = files.map((file) => `[ -s ${file} ]`).join(' || ');
    const script = `cd ${shellQuote(runFolder)} && { [ -e slurm-${id}.out ] || ${found}; } || exit 4`;
    const result = await session.exec(`${script}\n${files.map(tail).join('\n')}`, {
      timeoutMs: timeout,
      brief: true,
    });
    return result.code === 4 ? undefined : result.stdout.trim();
  };
  /** A job that never reaches its script's end does not, nor does one that Slurm may start again. */
  const forgetSecrets = async (runFolder: string, attempt: number): Promise<void> => {
    const script = `cd ${shellQuote(runFolder)} && rm -f ${secretsOf(attempt)}`;
    // The run is looked at no more: a login node that is busy for a moment must not keep them.
    for (let tries = 1; tries <= 3; tries += 1) {
      const result = await options
        .session()
        .then((session) => session.exec(script, { timeoutMs: timeout, brief: true }))
        .catch(() => undefined);
      if (result !== undefined) return;
      await clock.sleep(1000);
    }
  };
  const endOf = (seen: SeenJob): 'none' | 'over' =>
    seen.job !== undefined && seen.job !== 'gone' && (isOver(seen.job) || takenAway(seen.job) !== undefined)
      ? 'over'
      : 'none';
  const jobIn = ({ job }: SeenJob): RunJob | undefined =>
    job === undefined || job === 'gone' ? undefined : runJobOf(job);
  /** A cluster may kill what runs on its login node for long. */
  const keepStaging = (runFolder: string, attempt: number): string => {
    if (local === undefined) return '';
    const start = startStaging(attempt, `"$(cat job-${attempt})"`, stagedStates.get(runFolder));
    return `if cd ${shellQuote(runFolder)} 2>/dev/null && [ -s job-${attempt} ]; then\n${start}fi\n`;
  };
  /** What the controller says; a job that it does not know, and whose processes write, is as it was. */
  const seenJob = async (
    id: string,
    session: SshSession,
    orders: readonly LaunchOrder[],
    signal: AbortSignal | undefined,
  ): Promise<SeenJob> => {
    const asked = await controller.job(id, session, signal);
    if (asked.job !== 'gone') {
      growths.delete(id);
      return asked;
    }
    const growth = growths.get(id) ?? createGrowth(clock);
    growths.set(id, growth);
    const limits = { signal, timeoutMs: timeout, brief: true };
    const { stdout } = await session.exec(growth.script(orders), limits);
    return growth.goesOn(stdout) ? { ...asked, job: undefined } : asked;
  };
  const signals = createJobSignals(clock);
  const submission = createSubmission({
    ...{ cluster, clock, session: () => options.session() },
    after: (attempt) => (local === undefined ? '' : startStaging(attempt, '"${id%%;*}"', undefined)),
  });

  return {
    async startAll(nodes, listener) {
      const [first] = nodes[0]?.ranks ?? [];
      if (first === undefined) throw new RangeError('no ranks to start');
      const runFolder = runOf(first);
      for (let from = 0; from < nodes.length; from += nodesAtOnce) {
        const some = nodes.slice(from, from + nodesAtOnce);
        const session = await options.session();
        const script = some.map((node, index) => filesOf(node, from + index)).join('');
        const result = await session.exec(script, { timeoutMs: 120_000 });
        if (result.code !== 0) throw commandFailed(result, phrase('nodeCommands.rankFiles'), cluster);
      }
      const staging =
        local === undefined
          ? ''
          : putFile(
              stagingScriptFile(first.attempt),
              stagingScript(stagingOf(local, runFolder, first.attempt, nodes)),
            ) + allowStaging(first.attempt);
      const job = jobScript({
        ...{ slurm, parts: jobParts(lab), data: dataOnNodes(lab), port: lab.experiment.port },
        ...{ name: jobName(idOf(runFolder), first.attempt), attempt: first.attempt },
      });
      const runId = idOf(runFolder);
      const id = await submission
        .submit({ runFolder, runId, attempt: first.attempt, job, before: staging })
        .catch(async (error: unknown) => {
          // Slurm may take the job, or have taken it: it would train, and nobody would follow it.
          void left.cancelLater({ runFolder, runId }, first.attempt);
          await forgetSecrets(runFolder, first.attempt);
          throw error;
        });
      controller.submitted(id);
      const queued = runJobOf({ id, state: 'PENDING', reason: '', start: undefined, nodes: '' });
      // Together: the run's record is written once for all of them.
      await Promise.all(
        nodes.flatMap(({ ranks }) => ranks).map((order) => listener.started(order, jobProcess(id), queued)),
      );
    },
    async signal(order, process, name, signal) {
      // What runs beside the ranks ends with them.
      if (!isRank(order.label)) return false;
      const id = jobOf(process);
      return await signals.send(id, name, () => signalJob(id, runOf(order), name, signal));
    },
    async look(orders, signal) {
      const [first] = orders;
      if (first === undefined) return [];
      const session = await options.session(signal);
      const runFolder = runOf(first);
      const submitting = { runFolder, runId: idOf(runFolder), attempt: first.attempt };
      const directories = orders.map(({ directory }) => directory);
      const jobFile = shellQuote(`${runFolder}/job-${first.attempt}`);
      const monitors =
        isScript && slurm.requeue === true ? orders.filter((order) => !isRank(order.label)) : [];
      const { stdout } = await session.exec(
        `printf 'job %s\\n' "$(cat ${jobFile} 2>/dev/null)"\n[ ! -e ${shellQuote(runFolder)}/${preemptedFile(`"$(cat ${jobFile} 2>/dev/null)"`)} ] || echo preempted\n${underWayScript(submitting)}${keepStaging(runFolder, first.attempt)}${heardNodes.script(monitors)}${filesScript(directories)}`,
        { signal, timeoutMs: timeout, brief: true },
      );
      const { folders } = parseFolders(stdout, orders.length);
      const { data: id } = JobId.safeParse(/^job (\d+)$/m.exec(stdout)?.[1]);
      if (id === undefined) {
        const state = await submissionState(stdout, submitting, controller, session, signal);
        return orders.map((): Sight => ({ state }));
      }
      const asked = await seenJob(id, session, orders, signal);
      // Its ranks ended within the grace time, so that Slurm knows an exit code only.
      const isPreempted = /^preempted$/m.test(stdout) && asked.job !== undefined && asked.job !== 'gone';
      const seen = isPreempted ? { ...asked, job: { ...asked.job, state: 'PREEMPTED' } } : asked;
      const now = clock.ticks();
      const over = endOf(seen) === 'over' || seen.job === 'gone';
      if (!over) overAt.delete(id);
      else if (!overAt.has(id)) overAt.set(id, now);
      if (local !== undefined)
        stagedStates.set(runFolder, over ? 'over' : jobIn(seen)?.waits === false ? 'runs' : 'waits');
      const said = over ? await saidBy(session, runFolder, id, first.attempt) : '';
      const waits = jobIn(seen)?.waits === true;
      const exits = folders.map((folder, index) => {
        const exit = exitOf(folder, first.attempt);
        const key = directories[index] ?? '';
        if (exit !== undefined && exit.code !== 0 && slurm.requeue === true && waits) {
          staleEnds.set(key, exit.t);
          endedAt.delete(key);
        }
        return over || waits || exit?.t !== staleEnds.get(key) ? exit : undefined;
      });
      exits.forEach((exit, index) => {
        const key = directories[index] ?? '';
        if (exit === undefined || exit.code === 0) endedAt.delete(key);
        else if (!endedAt.has(key)) endedAt.set(key, now);
      });
      const ranks = orders.flatMap(({ label }, index) => (isRank(label) ? [index] : []));
      const allEnded = ranks.every((index) => exits[index] !== undefined);
      const lastEnd = Math.max(0, ...ranks.map((index) => endedAt.get(directories[index] ?? '') ?? 0));
      const answer = {
        ...{ process: jobProcess(id), seen, overAt: overAt.get(id), now, cluster, said },
        requeues: slurm.requeue === true,
        copies: local !== undefined,
        heardUntil: isScript
          ? heardNodes.until(stdout, orders, exits, ({ label }) => isRank(label))
          : undefined,
        allEndedAt: allEnded ? lastEnd : undefined,
      };
      const sights = exits.map((exit, index) => {
        const key = directories[index] ?? '';
        if (processOf(folders[index] ?? {}, first.attempt) === undefined) startedAt.delete(key);
        else if (!startedAt.has(key)) startedAt.set(key, now);
        return rankSight({ startedAt: startedAt.get(key), exit, endedAt: endedAt.get(key) }, answer);
      });
      // The run has ended, also where its job hangs in its end, or what ran beside the ranks is looked at no more.
      const ofRanks = sights.filter((_, index) => isRank(orders[index]?.label ?? ''));
      const isEnded = ofRanks.length > 0 && ofRanks.every(({ state }) => state !== 'alive');
      if (isEnded) await forgetSecrets(runFolder, first.attempt);
      return sights;
    },
    async abandon(directory, signal) {
      const runFolder = directory.replace(/\/[^/]+$/, '');
      await left.cancelAll({ runFolder, runId: idOf(runFolder) }, signal);
    },
  };
}

const isRank = (label: string): boolean => label.startsWith('rank-');
