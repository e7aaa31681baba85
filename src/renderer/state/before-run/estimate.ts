/** The estimated cost of the experiment as it is drawn, computed again soon after each edit that can change it. */
import { create } from 'zustand';
import { advise, autoSync, type Advice } from '../../../shared/cost/auto-sync.ts';
import { computeKey } from '../../../shared/cost/compute-time.ts';
import type { EstimateProblem } from '../../../shared/cost/flows.ts';
import { estimate, type Estimate } from '../../../shared/cost/estimate.ts';
import { isToFillIn } from '../../../shared/lab/lab-issue.ts';
import { hasErrors } from '../../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { isEnded } from '../../../shared/run/run.ts';
import {
  changedSince,
  givenTo,
  scriptKey,
  type MeasuredScript,
  type ScriptChange,
} from '../../../shared/run/script-time.ts';
import type { RequestResult } from '../../../shared/contract/api.ts';
import type { LabClient } from '../../api/index.ts';
import { editLab, useLabStore } from '../lab.ts';

/** Debounce time in milliseconds, so that typing and dragging stay fast. */
const pause = 120;

export type ShownEstimate =
  | { readonly kind: 'cost'; readonly cost: Estimate; readonly advice: Advice }
  /** What a step of an own script computes and sends is its own: its last run says how long it took. */
  | { readonly kind: 'script'; readonly measured: MeasuredScript; readonly changes: readonly ScriptChange[] }
  | { readonly kind: 'problem'; readonly problem: EstimateProblem };

interface EstimateSlice {
  /** Undefined if no estimate is possible: no lab, one with errors, or an own script that has not run yet. */
  readonly shown: ShownEstimate | undefined;
}
const useEstimateStore = create<EstimateSlice>(() => ({ shown: undefined }));

export const useEstimate = (): ShownEstimate | undefined => useEstimateStore(({ shown }) => shown);

const none: ReadonlySet<string> = new Set();
/** The links that the ranks would wait for: several where they are equally slow. */
export const useBottleneckLinks = (): ReadonlySet<string> =>
  useEstimateStore(({ shown }) => (shown?.kind === 'cost' ? (shown.cost.bottleneck?.alike ?? none) : none));

/** Sets the synchronisation mode, as one undo step. */
export const takeSync = (sync: string): void => editLab({ type: 'experiment', change: { sync } });

type Known = RequestResult<'estimate.measured'>;

/** Follows the open lab, and asks main for computing times measured in runs. Returns a function that stops it. */
export function followEstimate(api: LabClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let known: { readonly key: string; readonly value: Known } | undefined;
  let asking: string | undefined;
  let stopped = false;

  const show = (lab: LabDocument, { compute, localCpus, script }: Known): void => {
    const shown =
      lab.experiment.script === undefined
        ? shownOf(lab, { measured: compute, localCpus })
        : scriptShown(lab, script);
    useEstimateStore.setState({ shown });
  };
  const ask = async (lab: LabDocument, key: string): Promise<void> => {
    if (asking === key) return;
    asking = key;
    const value = await api
      .call('estimate.measured', { lab })
      // Without an answer, computing times are assumed from this computer's hardware, and a script's are unknown.
      .catch((): Known => ({ localCpus: Math.max(1, navigator.hardwareConcurrency) }));
    if (asking === key) asking = undefined;
    if (stopped) return;
    known = { key, value };
    refresh();
  };
  const refresh = (): void => {
    const { lab, issues } = useLabStore.getState();
    // An address or a path that is still missing changes no cost.
    const drawing = issues.filter((issue) => !isToFillIn(issue) || issue.path === 'nodes');
    if (lab === undefined || hasErrors(drawing)) {
      useEstimateStore.setState({ shown: undefined });
      return;
    }
    const script = scriptKey(lab);
    const key = script === undefined ? computeKey(lab) : `${script} ${givenTo(lab).nodes}`;
    if (known?.key === key) show(lab, known.value);
    else void ask(lab, key);
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(refresh, pause);
  };
  const stops = [
    useLabStore.subscribe((now, before) => {
      const same =
        now.lab?.nodes === before.lab?.nodes &&
        now.lab?.links === before.lab?.links &&
        now.lab?.experiment === before.lab?.experiment;
      if (!same) soon();
    }),
    api.subscribe((event) => {
      // A run that has ended provides measured computing times.
      if (event.name !== 'run.changed' || !isEnded(event.data.run.state)) return;
      known = undefined;
      soon();
    }),
  ];
  soon();
  return () => {
    stopped = true;
    clearTimeout(timer);
    for (const stop of stops) stop();
    useEstimateStore.setState({ shown: undefined });
  };
}

const scriptShown = (lab: LabDocument, measured: MeasuredScript | undefined): ShownEstimate | undefined =>
  measured === undefined ? undefined : { kind: 'script', measured, changes: changedSince(lab, measured) };

function shownOf(lab: LabDocument, known: { measured: Known['compute']; localCpus: number }): ShownEstimate {
  const input = { lab, ...known };
  const advice = advise(input);
  if ('code' in advice) return { kind: 'problem', problem: advice };
  const cost = lab.experiment.sync === autoSync ? advice.chosen : estimate(input);
  return 'code' in cost ? { kind: 'problem', problem: cost } : { kind: 'cost', cost, advice };
}
