/** Asks a lab's cluster what it offers: Slurm through the login node, in the controller's turn, Kubernetes by its API. */
import * as z from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { kubernetesOf, slurmOf } from '../../../shared/lab/reached.ts';
import { jobParts } from '../../../shared/lab/slurm-script.ts';
import type { SlurmTarget } from '../../../shared/lab/where.ts';
import type { KubernetesFacts } from '../../../shared/node/kubernetes-facts.ts';
import type { FolderTrial, SlurmFacts } from '../../../shared/node/slurm-facts.ts';
import { phrase } from '../../i18n/index.ts';
import type { Reach } from '../../local/index.ts';
import { lastWords, type ExecResult } from '../../ssh/index.ts';
import type { SlurmControllers } from './slurm/controller.ts';
import { factsScript, noAnswer, noSlurm, parseFacts } from './slurm/facts-answer.ts';
import { trialOf, trialScript, trialTimeoutMs } from './slurm/folder-trial.ts';

/** Milliseconds: more than the time-outs of the script's parts together. */
const patienceMs = 70_000;
const maxAnswerBytes = 1024 * 1024;

export interface ClusterFacts {
  /** Changes nothing. Rejects with `cluster_silent` where the controller does not answer, `job_refused` where there is no Slurm. */
  slurm(lab: LabDocument, signal: AbortSignal): Promise<SlurmFacts>;
  /** Whether compute nodes see the home folder, by a short job. Rejects with `job_refused`, or `cluster_silent`. */
  tryFolder(lab: LabDocument, signal: AbortSignal): Promise<FolderTrial>;
  /** Changes nothing. Rejects as a cluster's `facts`. */
  kubernetes(lab: LabDocument, signal: AbortSignal): Promise<KubernetesFacts>;
}

/** What the lab names as its cluster. */
function named<Target>(target: Target | undefined): Target {
  if (target !== undefined) return target;
  const problem = phrase('reasons.job.noCluster');
  throw new RinglabError('bad_request', { path: 'experiment.where', problem });
}

export function createClusterFacts({
  reach,
  controllers,
}: {
  readonly reach: Reach;
  readonly controllers: SlurmControllers;
}): ClusterFacts {
  const targetOf = (lab: LabDocument): SlurmTarget => named(slurmOf(lab));
  const asked = async (
    lab: LabDocument,
    script: string,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<ExecResult> => {
    const session = await reach.session(lab, lab.nodes[0]?.id ?? '', signal);
    return await controllers(targetOf(lab).login).query(
      () => session.exec(script, { signal, timeoutMs, maxOutputBytes: maxAnswerBytes }),
      signal,
    );
  };
  return {
    async slurm(lab, signal) {
      const cluster = targetOf(lab).login.host;
      const result = await asked(lab, factsScript, patienceMs, signal);
      if (result.code === noSlurm)
        throw new RinglabError('job_refused', { cluster, reason: phrase('reasons.job.noSlurm') });
      const detail = lastWords(result);
      if (result.code === noAnswer)
        throw new RinglabError('cluster_silent', { cluster }, { where: cluster, detail });
      try {
        if (result.code === 0) return parseFacts(result.stdout);
      } catch (error) {
        if (!(error instanceof z.ZodError)) throw error;
      }
      throw new RinglabError(
        'command_failed',
        { code: result.code ?? -1, command: 'sinfo' },
        { where: cluster, detail },
      );
    },
    async tryFolder(lab, signal) {
      const slurm = targetOf(lab);
      const script = trialScript(
        slurm,
        jobParts(lab).some(({ gpus }) => gpus > 0),
      );
      return trialOf(await asked(lab, script, trialTimeoutMs, signal), slurm.login.host);
    },
    async kubernetes(lab, signal) {
      return await reach.cluster(named(kubernetesOf(lab))).facts(signal);
    },
  };
}
