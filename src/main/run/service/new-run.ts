/** Creates the record of a new run and of its next attempt. Pure, except for the id's random part. */
import { randomBytes } from 'node:crypto';
import type { Experiment, LabDocument } from '../../../shared/lab/lab.ts';
import { absencesOf, firstMembers, maxMemberships } from '../../../shared/run/membership.ts';
import { attemptsOf, maxRestarts } from '../../../shared/run/recovery.ts';
import type { RankRecord, RunCheckpoint, RunRecord } from '../../../shared/run/run.ts';
import { pauseOf } from '../../../shared/run/took.ts';
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

/** Back to preparing: clears what the last attempt left, keeps its curve and commands. */
export function nextAttempt(run: RunRecord): RunRecord {
  const firsts = firstMembers(run).slice(0, maxMemberships);
  const recovery = run.recovery === undefined ? undefined : { ...run.recovery, lastSeqs: undefined };
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
    pause: pauseOf(run),
    endedAt: undefined,
    unfetched: undefined,
    error: undefined,
    job: undefined,
    memberships: undefined,
    recovery:
      run.memberships === undefined
        ? recovery
        : { restarts: [], ...recovery, absences: absencesOf(run).slice(-maxRestarts) },
    formerFirsts: firsts.length > 1 ? firsts : undefined,
    ranks,
  };
}

/** The attempt of a user who resumes the run: limits on automatic restarts count from here. @param now Unix seconds */
export function userAttempt(run: RunRecord, now: number): RunRecord {
  const next = nextAttempt(run);
  const { recovery } = next;
  if (recovery === undefined) return next;
  const resumed = { resumedAt: now, resumedAttempt: attemptsOf(next) };
  return { ...next, recovery: { ...recovery, ended: undefined, waiting: undefined, ...resumed } };
}

/** Short names of changes that are not training settings: the same in every language. */
const shortNames: Readonly<Record<Exclude<keyof Experiment, TrainingSetting>, string>> = {
  data: 'data',
  script: 'script',
  port: 'port',
  runtime: 'runtime',
  where: 'where',
  limitLinks: 'limit-links',
  encrypt: 'encrypt',
  onLinkDown: 'on-link-down',
  onLostRank: 'on-lost-rank',
  keepGlobalBatch: 'keep-global-batch',
  restartsPerHour: 'restarts-per-hour',
  watches: 'limits',
};

const isOther = (name: string): name is keyof typeof shortNames => Object.hasOwn(shortNames, name);

/** The part of a run's name that distinguishes it in its sweep: 'lr 0.05, batch 128'. */
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

/** The lab with changes to its experiment; omitted fields do not change. */
export function changedLab(
  lab: LabDocument,
  name: string,
  change: { readonly [name: string]: unknown },
): LabDocument {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return { ...lab, name, experiment: { ...lab.experiment, ...given } };
}

/** A run's position among those that are queued together. */
export interface SweepPlace {
  /** From 0. */
  readonly index: number;
  /** How many are queued together. */
  readonly of: number;
  /** The first of them; undefined for the first itself. */
  readonly first: Pick<RunRecord, 'id'> | undefined;
  /** The run whose lab this is. */
  readonly repeats: Pick<RunRecord, 'id' | 'nodeOrder'> | undefined;
  /** The checkpoint of `repeats` to start from. */
  readonly checkpoint: Omit<RunCheckpoint, 'runId'> | undefined;
}

/** A new run with its origin: another run, its checkpoint, a sweep. */
export const inSweep = (
  record: RunRecord,
  { index, of, first, repeats, checkpoint }: SweepPlace,
): RunRecord => ({
  ...record,
  // Preserves their order even if the clock does not advance.
  createdAt: record.createdAt + index / 1000,
  // Rank states are on the nodes: the ranks keep their order.
  ...(checkpoint === undefined ? {} : { nodeOrder: repeats?.nodeOrder }),
  origin: {
    ...(repeats === undefined ? {} : { repeats: repeats.id }),
    ...(repeats === undefined || checkpoint === undefined
      ? {}
      : { checkpoint: { ...checkpoint, runId: repeats.id } }),
    ...(first === undefined && of === 1 ? {} : { sweep: first?.id ?? record.id }),
  },
});
