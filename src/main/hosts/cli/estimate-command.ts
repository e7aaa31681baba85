/** `ringlab estimate LAB [--sync MODE]`: what a step will cost over the drawn links, before the run. */
import { advise, autoSync, type Advice } from '../../../shared/cost/auto-sync.ts';
import type { EstimateProblem } from '../../../shared/cost/flows.ts';
import { estimate, type Estimate, type EstimateAssumption } from '../../../shared/cost/estimate.ts';
import { checkLab, hasErrors } from '../../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { knownCompute, type KnownCompute } from '../../run/index.ts';
import type { Platform } from '../../base/platform.ts';
import { openStore } from '../../store/index.ts';
import { issueLine } from './check-command.ts';
import { askOpenApp } from './session.ts';

interface Output {
  result(line: string): void;
  remark(line: string): void;
}

const assumptionWords: Record<EstimateAssumption, string> = {
  compute_assumed: 'computation time is assumed: no run has measured this experiment on such nodes yet',
  classes_assumed: '1000 classes are assumed: the data is looked at when a run starts',
  network_not_drawn: 'no links are drawn: the network is assumed to cost nothing',
  links_not_emulated: 'the drawn links are not emulated here: nothing slows a run down',
  loss_not_counted: 'the loss of links is not counted: steps will take longer',
};

/**
 * Prints one JSON object on one line. 0 where it could be estimated, 2 where the lab has errors.
 * @param sync instead of the lab's own; `auto` is what the links advise
 */
export function estimateCommand(
  drawn: LabDocument,
  known: KnownCompute,
  sync: string | undefined,
  out: Output,
): number {
  const lab = sync === undefined ? drawn : { ...drawn, experiment: { ...drawn.experiment, sync } };
  const issues = checkLab(lab);
  for (const issue of issues) out.remark(issueLine(issue));
  if (hasErrors(issues)) return 2;
  const input = { lab, measured: known.compute, localCpus: known.localCpus };
  const advice = advise(input);
  if ('code' in advice) return refuse(advice, out);
  const found = lab.experiment.sync === autoSync ? advice.chosen : estimate(input);
  if ('code' in found) return refuse(found, out);
  for (const assumption of found.assumptions) out.remark(`note: ${assumptionWords[assumption]}`);
  out.result(JSON.stringify(answer(found, advice)));
  return 0;
}

/** From the stored runs; an app that is open is asked. Where neither can be, computing is assumed. */
export async function computeFromRuns(platform: Platform, lab: LabDocument): Promise<KnownCompute> {
  const nothing = { listRuns: () => Promise.resolve([]), lines: () => Promise.resolve([]) };
  const known = await askOpenApp(platform, (api) => api.call('estimate.measured', { lab })).catch(
    () => undefined,
  );
  if (known !== undefined) {
    const { compute, localCpus } = known;
    return { localCpus, ...(compute === undefined ? {} : { compute }) };
  }
  try {
    const { store } = await openStore(platform.paths.data);
    try {
      return await knownCompute(store, lab);
    } finally {
      await store.close();
    }
  } catch {
    return knownCompute(nothing, lab);
  }
}

function refuse(problem: EstimateProblem, out: Output): number {
  switch (problem.code) {
    case 'nothing_to_train':
      out.remark('error: the lab has no node that trains: draw a GPU or CPU node');
      break;
    case 'unknown_architecture':
      out.remark(`error: the architecture “${problem.architecture}” is unknown`);
      break;
    case 'unknown_sync':
      out.remark(`error: the synchronisation “${problem.sync}” is unknown; examples: powersgd:2, auto`);
      break;
    case 'unreachable':
      out.remark(
        `error: no links lead from ${problem.from} to ${problem.to}: join them, or remove all links where the network is not to be drawn`,
      );
  }
  return 2;
}

const answer = (found: Estimate, advice: Advice) => ({
  sync: found.sync,
  seconds_per_step: rounded(found.secondsPerStep),
  compute_seconds: rounded(found.computeSeconds),
  communication_seconds: rounded(found.communicationSeconds),
  bytes_per_step: found.bytesPerStep,
  bottleneck:
    found.bottleneck === undefined
      ? null
      : {
          link: found.bottleneck.ends.join('–'),
          id: found.bottleneck.linkId,
          seconds: rounded(found.bottleneck.seconds),
        },
  advice: {
    sync: advice.chosen.sync,
    seconds_per_step: rounded(advice.chosen.secondsPerStep),
    reason: advice.reason,
    text: adviceWords(found, advice),
  },
  ranks: found.ranks,
  steps_per_epoch: found.stepsPerEpoch ?? null,
  seconds_per_epoch: found.secondsPerEpoch === undefined ? null : rounded(found.secondsPerEpoch),
  compute_from: found.measured === undefined ? 'assumed' : `run ${found.measured.runId}`,
  assumptions: found.assumptions,
});

function adviceWords(found: Estimate, { chosen, reason }: Advice): string {
  const here = `${inWords(found.secondsPerStep)} per step`;
  const because =
    found.bottleneck === undefined
      ? ': computation is the bottleneck'
      : `: the link ${found.bottleneck.ends.join('–')} is the bottleneck`;
  if (chosen.sync === found.sync) return `${here}${because}`;
  return reason === 'plain_is_enough'
    ? `${here}${because}; ${chosen.sync} is exact and within a tenth of the fastest`
    : `${here}${because}; with ${chosen.sync}: ${inWords(chosen.secondsPerStep)}`;
}

/** Four digits are more than an estimate is worth. */
const rounded = (value: number): number => Number(value.toPrecision(4));
const inWords = (seconds: number): string => `${Number(seconds.toPrecision(2))} s`;
