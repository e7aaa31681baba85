/**
 * `ringlab estimate LAB [--sync MODE]`: estimates a step's time over the drawn links, before the run; of an own script it
 * says how long its last run took.
 */
import { existsSync } from 'node:fs';
import { accuracyCost } from '../../../../shared/cost/accuracy-cost.ts';
import { advise, autoSync, type Advice } from '../../../../shared/cost/auto-sync.ts';
import type { EstimateProblem } from '../../../../shared/cost/flows.ts';
import { estimate, type Estimate } from '../../../../shared/cost/estimate.ts';
import { checkLab, hasErrors } from '../../../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { changedSince } from '../../../../shared/run/script-time.ts';
import { knownTimes, type KnownCompute } from '../../../run/index.ts';
import { makePrivate } from '../../../base/data-folder.ts';
import { refuseNewer } from '../../../base/data-format.ts';
import type { Platform } from '../../../base/platform.ts';
import { openStore } from '../../../store/index.ts';
import { issueLine } from './check-command.ts';
import { askOpenApp } from '../session.ts';
import { speak } from '../speak.ts';

interface Output {
  result(line: string): void;
  remark(line: string): void;
}

/**
 * Prints one JSON object on one line. 0 where an estimate is possible, 2 where the lab has errors or its script has not
 * run yet.
 * @param sync instead of the lab's own; `auto` chooses by the links
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
  if (lab.experiment.script !== undefined) return scriptTimes(lab, known, out);
  const input = { lab, measured: known.compute, localCpus: known.localCpus };
  const advice = advise(input);
  if ('code' in advice) return refuse(advice, out);
  const found = lab.experiment.sync === autoSync ? advice.chosen : estimate(input);
  if ('code' in found) return refuse(found, out);
  for (const assumption of found.assumptions)
    out.remark(speak('cli.estimate.note', { text: speak(`cli.estimate.assumed.${assumption}`) }));
  out.result(JSON.stringify(answer(found, advice)));
  return 0;
}

function scriptTimes(lab: LabDocument, { script }: KnownCompute, out: Output): number {
  const { file = '' } = lab.experiment.script ?? {};
  if (script === undefined) {
    out.remark(speak('cli.estimate.noScriptRun', { script: file }));
    return 2;
  }
  const changes = changedSince(lab, script);
  for (const change of changes)
    out.remark(speak('cli.estimate.note', { text: speak(`cli.estimate.since.${change}`) }));
  const optional = (seconds: number | undefined): number | null =>
    seconds === undefined ? null : rounded(seconds);
  out.result(
    JSON.stringify({
      script: file,
      seconds_per_step: optional(script.secondsPerStep),
      seconds_per_epoch: optional(script.secondsPerEpoch),
      seconds: optional(script.seconds),
      from: `run ${script.runId}`,
      changed_since: changes,
    }),
  );
  return 0;
}

/** From the stored runs; asks an open app. Where neither is possible, the compute time is assumed. */
export async function computeFromRuns(platform: Platform, lab: LabDocument): Promise<KnownCompute> {
  const nothing = { listRuns: () => Promise.resolve([]), lines: () => Promise.resolve([]) };
  const known = await askOpenApp(platform, (api) => api.call('estimate.measured', { lab })).catch(
    () => undefined,
  );
  if (known !== undefined) {
    const { compute, localCpus, script } = known;
    return {
      localCpus,
      ...(compute === undefined ? {} : { compute }),
      ...(script === undefined ? {} : { script }),
    };
  }
  const { data } = platform.paths;
  try {
    // An estimate is no reason to create the folder.
    if (!existsSync(data)) return await knownTimes(nothing, lab);
    await makePrivate(data);
    await refuseNewer(data, platform.version);
    const { store } = await openStore(data);
    try {
      return await knownTimes(store, lab);
    } finally {
      await store.close();
    }
  } catch {
    return knownTimes(nothing, lab);
  }
}

function refuse(problem: EstimateProblem, out: Output): number {
  switch (problem.code) {
    case 'nothing_to_train':
      out.remark(speak('cli.estimate.nothing'));
      break;
    case 'unknown_architecture':
      out.remark(speak('cli.estimate.architecture', { architecture: problem.architecture }));
      break;
    case 'unknown_sync':
      out.remark(speak('cli.estimate.sync', { sync: problem.sync }));
      break;
    case 'unreachable':
      out.remark(speak('cli.estimate.unreachable', { from: problem.from, to: problem.to }));
  }
  return 2;
}

const answer = (found: Estimate, advice: Advice) => ({
  sync: found.sync,
  seconds_per_step: rounded(found.secondsPerStep),
  compute_seconds: rounded(found.computeSeconds),
  communication_seconds: rounded(found.communicationSeconds),
  bytes_per_step: found.bytesPerStep,
  at_end:
    found.atEnd === undefined ? null : { seconds: rounded(found.atEnd.seconds), bytes: found.atEnd.bytes },
  accuracy_cost: accuracyWords(found.sync),
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

/** Points of top-1 that were lost, on which of `make-shapes`' tasks, by how many seeds; null where nothing was measured. */
function accuracyWords(sync: string): { points: number; task?: string; seeds?: number } | null {
  const cost = accuracyCost(sync);
  if (cost === undefined || cost.kind === 'not_measured') return null;
  return cost.kind === 'exact'
    ? { points: 0 }
    : { points: cost.points, task: cost.by.task, seeds: cost.by.seeds };
}

function adviceWords(found: Estimate, { chosen, reason }: Advice): string {
  const time = inWords(found.secondsPerStep);
  const here =
    found.bottleneck === undefined
      ? speak('cli.estimate.compute', { time })
      : found.bottleneck.alike.size > 1
        ? speak('cli.estimate.links', { time, count: found.bottleneck.alike.size })
        : speak('cli.estimate.link', { time, link: found.bottleneck.ends.join('–') });
  if (chosen.sync === found.sync) return here;
  return reason === 'plain_is_enough'
    ? speak('cli.estimate.enough', { here, sync: chosen.sync })
    : speak('cli.estimate.faster', { here, sync: chosen.sync, time: inWords(chosen.secondsPerStep) });
}

/** An estimate is not more precise than four digits. */
const rounded = (value: number): number => Number(value.toPrecision(4));
const inWords = (seconds: number): string => `${Number(seconds.toPrecision(2))} s`;
