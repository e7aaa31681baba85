/** Asks a lab's cluster what it offers: through the login node, in the controller's turn. */
import { z } from 'zod';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { slurmOf } from '../../../../shared/lab/reached.ts';
import type { SlurmTarget } from '../../../../shared/lab/where.ts';
import type { FolderTrial, SlurmFacts } from '../../../../shared/node/slurm-facts.ts';
import { phrase } from '../../../i18n/index.ts';
import type { Reach } from '../../../local/index.ts';
import { lastWords, type ExecResult } from '../../../ssh/index.ts';
import type { SlurmControllers } from './controller.ts';
import { factsScript, noAnswer, noSlurm, parseFacts } from './facts-answer.ts';
import { trialOf, trialScript, trialTimeoutMs } from './folder-trial.ts';

/** Milliseconds: more than the time-outs of the script's parts together. */
const patienceMs = 70_000;
const maxAnswerBytes = 1024 * 1024;

export interface ClusterFacts {
  /** Changes nothing. Rejects with `cluster_silent` where the controller does not answer, `job_refused` where there is no Slurm. */
  slurm(lab: LabDocument, signal: AbortSignal): Promise<SlurmFacts>;
  /** Whether compute nodes see the home folder, by a short job. Rejects with `job_refused`. */
  tryFolder(lab: LabDocument, signal: AbortSignal): Promise<FolderTrial>;
}

export function createClusterFacts({
  reach,
  controllers,
}: {
  readonly reach: Reach;
  readonly controllers: SlurmControllers;
}): ClusterFacts {
  const targetOf = (lab: LabDocument): SlurmTarget => {
    const slurm = slurmOf(lab);
    if (slurm === undefined)
      throw new RinglabError('bad_request', {
        path: 'experiment.where',
        problem: phrase('reasons.job.noCluster'),
      });
    return slurm;
  };
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
      return trialOf(await asked(lab, trialScript(slurm), trialTimeoutMs, signal), slurm.login.host);
    },
  };
}
