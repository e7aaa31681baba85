/** Actions on runs that also concern labs, this computer or the host: start, queue, rejoin, list and export. */
import type { Delivery, RequestName, RunSummary } from '../../shared/contract/api.ts';
import { labErrors } from '../../shared/lab/issue-texts.ts';
import { checkLab } from '../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { Platform } from '../base/platform.ts';
import { checkHere, type ThisComputer } from '../lab/index.ts';
import type { Handlers } from '../rpc/index.ts';
import type { Runs } from '../run/index.ts';
import { nameAfter } from './deliver-file.ts';
import type { AskedLab, LabActions } from './lab-actions.ts';
import { summarizeRun } from './summaries.ts';

/** A request's arguments, as they are once its schema has parsed them. */
type Asked<N extends RequestName> = Parameters<Handlers[N]>[0];

export interface RunActions {
  /** Rejects with `lab_has_errors`, also where this computer lacks what the lab names. */
  start(asked: AskedLab): Promise<{ runId: string }>;
  /** Queues a run for each change: of a lab, or of the lab of an earlier run. Rejects as `start` does. */
  queue(asked: Asked<'run.queue'>): Promise<{ runIds: string[] }>;
  /** `replace`: nodes of the given drawing, or of the lab as it is stored now. */
  rejoin(asked: Asked<'run.rejoin'>): Promise<void>;
  list(asked: Asked<'run.list'>): Promise<RunSummary[]>;
  /** Hands a file of the run to the user, by the host's way. */
  export(asked: Asked<'run.export'>, signal: AbortSignal): Promise<Delivery>;
}

export interface RunActionParts {
  readonly runs: Pick<Runs, 'start' | 'queue' | 'rejoin' | 'list' | 'get' | 'sighted' | 'artifact'>;
  readonly labs: Pick<LabActions, 'asked'>;
  readonly platform: Pick<Platform, 'deliver'>;
  /** As it is now. */
  readonly computer: () => Promise<ThisComputer>;
}

export function createRunActions({ runs, labs, platform, computer }: RunActionParts): RunActions {
  const mustBeValid = async (lab: LabDocument): Promise<void> => {
    const issues = [...checkLab(lab), ...(await checkHere(lab, await computer()))];
    const refused = labErrors(issues, lab.name);
    if (refused !== undefined) throw refused;
  };
  return {
    async start(asked) {
      const lab = await labs.asked(asked);
      await mustBeValid(lab);
      return runs.start(lab);
    },
    async queue({ from, changes, checkpoint }) {
      if (!('runId' in from)) {
        const lab = await labs.asked(from);
        await mustBeValid(lab);
        return runs.queue(lab, changes);
      }
      const run = await runs.get(from.runId);
      // What it needs of this computer may have gone since it ran.
      await mustBeValid(run.lab);
      return runs.queue(run.lab, changes, run, checkpoint);
    },
    async rejoin({ runId, replace, lab }) {
      const drawn =
        replace && (await labs.asked(lab === undefined ? { labId: (await runs.get(runId)).labId } : { lab }));
      await runs.rejoin(runId, replace, drawn);
    },
    async list({ labId, bin, asked }) {
      if (asked === true) await runs.sighted();
      return (await runs.list(labId, bin)).map(summarizeRun);
    },
    async export({ runId, artifact, language }, signal) {
      const file = await runs.artifact(runId, artifact, signal, language);
      if (artifact !== 'report.html') return platform.deliver(file);
      // Reports of several runs lie beside each other.
      return platform.deliver({ ...file, name: nameAfter((await runs.get(runId)).name, file.name) });
    },
  };
}
