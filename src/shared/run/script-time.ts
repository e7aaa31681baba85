/**
 * How long a step of an own script takes: measured from the lines of an earlier run of it, since what a script computes
 * and sends is its own. Pure.
 */
import * as z from 'zod';
import { trainingNodes, type LabDocument } from '../lab/lab.ts';
import { processesOn } from '../lab/lab-check.ts';
import { asReached } from '../lab/reached.ts';
import { metricNumber, type MetricLine } from '../metrics/metrics.ts';
import { scalarKind } from './run-outputs.ts';

/** Fewer intervals say little; one epoch has many steps. */
const minIntervals = { step: 3, epoch: 1 };

/** A run of the script, and what it was given: the window compares that with the lab as it is now. */
export const MeasuredScript = z.object({
  runId: z.string(),
  runName: z.string(),
  /** Medians in seconds, so that an evaluation or a checkpoint between two steps does not count; absent where unknown. */
  secondsPerStep: z.number().positive().optional(),
  secondsPerEpoch: z.number().positive().optional(),
  /** From the start to the end in seconds, of a run that finished at its first attempt. */
  seconds: z.number().nonnegative().optional(),
  arguments: z.string(),
  nodes: z.string(),
  links: z.string(),
});
export type MeasuredScript = z.infer<typeof MeasuredScript>;

/** Labs with the same key run the same script, whatever its arguments; undefined for the native trainer. */
export function scriptKey({ experiment: { script } }: LabDocument): string | undefined {
  if (script === undefined) return undefined;
  const { source, file } = script;
  return JSON.stringify([source.type, (source.type === 'folder' ? source.path : source.url).trim(), file]);
}

/** What a script's time depends on beside its code. */
export type ScriptChange = 'arguments' | 'nodes' | 'links';
const scriptChanges = ['arguments', 'nodes', 'links'] as const satisfies ScriptChange[];

export function givenTo(lab: LabDocument): Pick<MeasuredScript, ScriptChange> {
  const kinds = trainingNodes(asReached(lab)).map((node) => {
    const { kind, access, placement } = node;
    const { gpuModel } = placement.flavour;
    const hardware = access.type === 'local' ? 'local' : `${kind} ${gpuModel} ${placement.cpus}`;
    return `${hardware} ${processesOn(lab, node)}`;
  });
  return {
    arguments: lab.experiment.script?.arguments.trim() ?? '',
    nodes: JSON.stringify(kinds.sort()),
    links: JSON.stringify(lab.links.map((link) => ({ ...link, id: undefined }))),
  };
}

/** What has changed in the lab since that run. */
export function changedSince(lab: LabDocument, measured: MeasuredScript): ScriptChange[] {
  const now = givenTo(lab);
  return scriptChanges.filter((what) => now[what] !== measured[what]);
}

interface Moment {
  /** Unix seconds. */
  readonly t: number;
  readonly count: number;
}

/** Lines that were read at once follow each other within less. */
const burstSeconds = 0.1;

/** Of lines that were read at once the last one counts: they were written one after the other until then. */
function atOnce(moments: readonly Moment[]): Moment[] {
  const merged: Moment[] = [];
  let begun = -Infinity;
  for (const moment of moments) {
    const before = merged.at(-1);
    if (before !== undefined && moment.t - begun < burstSeconds && moment.count >= before.count) merged.pop();
    else begun = moment.t;
    merged.push(moment);
  }
  return merged;
}

/** Seconds of one count; undefined where too few were seen. */
function pace(moments: readonly Moment[], minimum: number): number | undefined {
  const rates: number[] = [];
  let last: Moment | undefined;
  for (const moment of atOnce(moments)) {
    if (moment.count === last?.count) continue;
    // Where it is lower another attempt begins.
    if (last !== undefined && moment.count > last.count && moment.t > last.t)
      rates.push((moment.t - last.t) / (moment.count - last.count));
    last = moment;
  }
  const [, ...settled] = rates;
  // The first interval warms caches up.
  const counted = settled.length >= minimum ? settled : rates;
  if (counted.length < minimum) return undefined;
  const sorted = counted.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** @param lines of one rank, oldest first: of the kinds `scalar` and `script_progress` */
export function scriptPace(
  lines: readonly MetricLine[],
): Pick<MeasuredScript, 'secondsPerStep' | 'secondsPerEpoch'> {
  const secondsPerStep = paceAlong(lines, 'step');
  const secondsPerEpoch = paceAlong(lines, 'epoch');
  return {
    ...(secondsPerStep === undefined ? {} : { secondsPerStep }),
    ...(secondsPerEpoch === undefined ? {} : { secondsPerEpoch }),
  };
}

function paceAlong(lines: readonly MetricLine[], axis: 'step' | 'epoch'): number | undefined {
  /** Scalars may count differently: an evaluation counts its own batches. */
  const ofScalars = new Map<string, Moment[]>();
  const ofProgress: Moment[] = [];
  for (const line of lines) {
    const count = metricNumber(line[axis]);
    if (count === undefined || !Number.isFinite(count) || count < 0) continue;
    const moment = { t: line.t, count };
    if (line.kind !== scalarKind) ofProgress.push(moment);
    else if (typeof line.values === 'object' && line.values !== null)
      for (const name of Object.keys(line.values)) {
        const known = ofScalars.get(name);
        if (known === undefined) ofScalars.set(name, [moment]);
        else known.push(moment);
      }
  }
  const [longest] = [...ofScalars.values()].sort((a, b) => b.length - a.length);
  return pace(longest ?? [], minIntervals[axis]) ?? pace(ofProgress, minIntervals[axis]);
}
