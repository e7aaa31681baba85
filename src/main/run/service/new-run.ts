/** The record a run begins with, and the one its next attempt does. Pure, but for the id's random part. */
import { randomBytes } from 'node:crypto';
import type { Experiment, LabDocument } from '../../../shared/lab/lab.ts';
import type { RankRecord, RunCheckpoint, RunRecord } from '../../../shared/run/run.ts';
import { isTrainingSetting, settingRow, type TrainingSetting } from '../../../shared/settings/index.ts';
import type { RunPlan } from './plan.ts';

export function newRun(drawn: LabDocument, { lab, nodeOrder, estimate }: RunPlan, now: number): RunRecord {
  const stamp = new Date(now * 1000).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return {
    version: 1,
    id: `${stamp}-${randomBytes(3).toString('hex')}`,
    name: drawn.name,
    labId: drawn.id,
    lab,
    nodeOrder,
    estimate,
    state: 'draft',
    attempt: 1,
    createdAt: now,
    epochsCompleted: 0,
    epochs: lab.experiment.epochs,
    step: 0,
    ranks: [],
    unreachable: {},
    badLines: 0,
    notes: '',
  };
}

/** Back to preparing; what the last attempt left behind is cleared, its curve and its commands stay. */
export function nextAttempt(run: RunRecord): RunRecord {
  const ranks = run.ranks.map((rank): RankRecord => ({
    ...rank,
    state: 'pending',
    process: undefined,
    exit: undefined,
    error: undefined,
    lastWords: undefined,
    diagnoses: undefined,
  }));
  return {
    ...run,
    state: 'preparing',
    attempt: run.attempt + 1,
    endedAt: undefined,
    error: undefined,
    ranks,
  };
}

/** What a change is called where it is no training setting: the same in every language. */
const shortNames: Readonly<Record<Exclude<keyof Experiment, TrainingSetting>, string>> = {
  data: 'data',
  port: 'port',
  runtime: 'runtime',
  limitLinks: 'limit-links',
  encrypt: 'encrypt',
  onLinkDown: 'on-link-down',
  watches: 'limits',
};

const isOther = (name: string): name is keyof typeof shortNames => Object.hasOwn(shortNames, name);

/** What distinguishes a run of a sweep from its neighbours: 'lr 0.05, batch 128'. */
export const changeName = (change: { readonly [name: string]: unknown }): string =>
  Object.entries(change)
    .flatMap(([name, value]) => {
      const short = isTrainingSetting(name)
        ? settingRow(name).short
        : isOther(name)
          ? shortNames[name]
          : undefined;
      if (value === undefined || short === undefined) return [];
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [`${short} ${text}`.trim()];
    })
    .join(', ');

const longestName = 120;

/** The lab with a change in its experiment; what is not given stays. */
export function changedLab(
  lab: LabDocument,
  name: string,
  change: { readonly [name: string]: unknown },
  from?: { readonly epoch: number },
): LabDocument {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const words = [...(from === undefined ? [] : [`from epoch ${from.epoch}`]), changeName(given)]
    .filter((part) => part !== '')
    .join(', ');
  const base = name.split(' · ')[0] ?? name;
  return {
    ...lab,
    name: (words === '' ? base : `${base} · ${words}`).slice(0, longestName),
    experiment: { ...lab.experiment, ...given },
  };
}

/** Where a run stands among those that are queued together. */
export interface SweepPlace {
  /** From 0. */
  readonly index: number;
  /** How many are queued together. */
  readonly of: number;
  /** The first of them; undefined for the first itself. */
  readonly first: Pick<RunRecord, 'id'> | undefined;
  /** The run whose lab this is. */
  readonly repeats: Pick<RunRecord, 'id' | 'nodeOrder'> | undefined;
  /** The checkpoint of `repeats` that they go on from. */
  readonly checkpoint: Omit<RunCheckpoint, 'runId'> | undefined;
}

/** A new run with what it comes from: another run, its checkpoint, a sweep. */
export const inSweep = (
  record: RunRecord,
  { index, of, first, repeats, checkpoint }: SweepPlace,
): RunRecord => ({
  ...record,
  // In the order that they were asked for, also where the clock stands still.
  createdAt: record.createdAt + index / 1000,
  // What a rank kept lies on its node: the ranks stand where they stood.
  ...(checkpoint === undefined ? {} : { nodeOrder: repeats?.nodeOrder }),
  origin: {
    ...(repeats === undefined ? {} : { repeats: repeats.id }),
    ...(repeats === undefined || checkpoint === undefined
      ? {}
      : { checkpoint: { ...checkpoint, runId: repeats.id } }),
    ...(first === undefined && of === 1 ? {} : { sweep: first?.id ?? record.id }),
  },
});
