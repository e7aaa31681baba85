/** Runs and ranks: their states, the legal transitions, and the record that is stored. */
import * as z from 'zod';
import { CheckpointFile, KeptCheckpoint, RenamedCheckpoint } from './checkpoint.ts';
import { Diagnosed } from '../node/diagnosis.ts';
import { WireError } from '../base/errors.ts';
import { LabDocument, OnLostRank } from '../lab/lab.ts';
import { PassedLimit } from '../metrics/value-watch.ts';
import { maxMemberships, Membership } from './membership.ts';
import { Recovery } from './recovery.ts';
import { RunCode } from './run-code.ts';
import { RunJob } from './run-job.ts';
import { OutputRef } from './run-outputs.ts';
import { NodeClock } from '../node/node-clock.ts';

export const RunState = z.enum([
  'draft',
  /** Recorded, and waiting for the previous run on the same nodes. */
  'queued',
  'preparing',
  'starting',
  'running',
  /** The ranks may be running, but a node is unreachable. */
  'waiting',
  /** A rank was lost and all have ended: the run is about to start again from its newest checkpoint. */
  'recovering',
  'stopping',
  'stopped',
  /** A node rebooted or every rank ended without an error message: the run can be resumed. */
  'interrupted',
  'finished',
  'failed',
  /** A node never came back: the state of its ranks is unknown. */
  'lost',
]);
export type RunState = z.infer<typeof RunState>;

/** Allowed transitions: the states that may follow a state. Resuming starts a new attempt: back to `preparing`. */
export const runTransitions: Readonly<Record<RunState, readonly RunState[]>> = {
  draft: ['preparing', 'queued'],
  queued: ['preparing', 'stopped'],
  preparing: ['starting', 'recovering', 'stopping', 'stopped', 'failed', 'interrupted'],
  starting: ['running', 'waiting', 'recovering', 'stopping', 'failed', 'interrupted', 'lost'],
  running: ['waiting', 'recovering', 'stopping', 'stopped', 'interrupted', 'finished', 'failed', 'lost'],
  waiting: ['running', 'recovering', 'stopping', 'stopped', 'interrupted', 'finished', 'failed', 'lost'],
  recovering: ['preparing', 'stopping', 'stopped', 'failed', 'interrupted'],
  stopping: ['stopped', 'interrupted', 'finished', 'failed', 'lost'],
  stopped: ['preparing'],
  interrupted: ['preparing'],
  finished: ['preparing'],
  failed: ['preparing'],
  lost: ['preparing', 'waiting', 'running', 'stopped', 'interrupted', 'finished', 'failed'],
};

export const endStates = [
  'stopped',
  'interrupted',
  'finished',
  'failed',
  'lost',
] as const satisfies RunState[];
export const isEnded = (state: RunState): boolean => (endStates as readonly RunState[]).includes(state);
/** Neither queued nor ended: its nodes are in use. */
export const isUnderWay = (state: RunState): boolean =>
  state !== 'draft' && state !== 'queued' && !isEnded(state);
export const canMove = (from: RunState, to: RunState): boolean => runTransitions[from].includes(to);
/** As lists show it: a queued run that is held waits for the user, not for a run. */
export const shownState = ({ state, heldBy }: Pick<RunRecord, 'state' | 'heldBy'>): RunState | 'held' =>
  state === 'queued' && heldBy !== undefined ? 'held' : state;
/** States from which `run.resume` is allowed. */
export const canResume = (state: RunState): boolean =>
  state === 'stopped' || state === 'interrupted' || state === 'failed' || state === 'lost';

export const RankState = z.enum([
  'pending',
  'starting',
  'running',
  'unreachable',
  'done',
  'stopped',
  'failed',
  'lost',
]);
export type RankState = z.infer<typeof RankState>;

/**
 * A process as its launcher identifies it: `id` is opaque to everything but the launcher. `pid` is for display, where
 * the rank is a process on its node (a scheduler's job has none).
 */
export const StartedProcess = z.object({ id: z.string().min(1).max(1000), pid: z.number().int().optional() });
export type StartedProcess = z.infer<typeof StartedProcess>;

export const RankRecord = z.object({
  rank: z.number().int().nonnegative(),
  nodeId: z.string(),
  nodeName: z.string(),
  localRank: z.number().int().nonnegative(),
  state: RankState,
  /** The exact command, as shown and exported. */
  argv: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  /** Shell text that goes before the command: enters the node's namespace in an emulated network. */
  enter: z.string().optional(),
  /** At which the other nodes reach its node (on a cluster the variable that holds it); absent in records of earlier versions. */
  address: z.string().optional(),
  /** Absolute path of the rank's folder on the node. */
  directory: z.string(),
  /** Where its command works, if not there: an own script works in the run's copy of the code. */
  workingDirectory: z.string().optional(),
  process: StartedProcess.optional(),
  exit: z
    .object({ code: z.number().int().nullable(), signal: z.number().int().nullable(), t: z.number() })
    .optional(),
  error: WireError.optional(),
  /** The last lines of its log, kept when it failed. */
  lastWords: z.array(z.string()).optional(),
  /** Known failures recognised in them, the likeliest first. */
  diagnoses: z.array(Diagnosed).max(5).optional(),
});
export type RankRecord = z.infer<typeof RankRecord>;

/** The estimate that the app made when the run started, shown beside the measurements. */
export const RunEstimate = z.object({
  /** The lab's setting, `auto` or a mode. */
  asked: z.string(),
  sync: z.string(),
  /** The reason, where the app chose. */
  reason: z.enum(['plain_is_enough', 'faster']).optional(),
  secondsPerStep: z.number(),
  computeSeconds: z.number(),
  communicationSeconds: z.number(),
  bytesPerStep: z.number(),
  /** With every gradient uncompressed. */
  plainSecondsPerStep: z.number(),
  /** Names of the ends of the bottleneck link. */
  bottleneck: z.tuple([z.string(), z.string()]).optional(),
  /** Whether the compute time was measured in an earlier run, or assumed. */
  computeMeasured: z.boolean(),
});
export type RunEstimate = z.infer<typeof RunEstimate>;

export const longestTag = 40;
export const RunTag = z.string().trim().min(1).max(longestTag);
export const maxTags = 20;

/** The colour that a user gave a run; the window defines the actual colours. */
export const RunColour = z.enum(['blue', 'red', 'green', 'violet', 'rose', 'indigo', 'magenta']);
export type RunColour = z.infer<typeof RunColour>;

export const maxRunEvents = 200;
/** `what`: the node's name, the link and how it changed, or the value and its limit. */
export const RunEvent = z.object({
  t: z.number(),
  kind: z.enum(['lost', 'back', 'link', 'passed', 'disk']),
  what: z.string().max(300),
  /** For `passed`: the limit, and the value that passed it. */
  passed: PassedLimit.optional(),
});
export type RunEvent = z.infer<typeof RunEvent>;

export const maxPins = 100;
/** A bookmarked point of a chart. */
export const RunPin = z.object({
  id: z.string().min(1).max(64),
  chart: z.string().max(40),
  /** Unix seconds, or the step: what the user pointed at. Earlier versions stored both. */
  t: z.number().optional(),
  step: z.number().optional(),
  note: z.string().max(500),
});
export type RunPin = z.infer<typeof RunPin>;

/** The user's own marks on a run; not part of training. */
const RunMarks = z.object({
  notes: z.string().max(20_000),
  tags: z.array(RunTag).max(maxTags).optional(),
  starred: z.boolean().optional(),
  colour: RunColour.optional(),
  pins: z.array(RunPin).max(maxPins).optional(),
  /** Unix seconds since when it is archived: listed only where archived runs are asked for. */
  archivedAt: z.number().optional(),
  /** In the bin since `t`; after a week it is deleted, with `nodes` also its folders on the nodes. */
  binned: z.object({ t: z.number(), nodes: z.boolean() }).optional(),
});

/** A checkpoint of another run: its file and completed epochs. */
export const RunCheckpoint = z.object({
  runId: z.string().min(1).max(64),
  file: CheckpointFile,
  epoch: z.number().int().nonnegative(),
});
export type RunCheckpoint = z.infer<typeof RunCheckpoint>;

/** Where a run started from something other than the current lab: the repeated run, its sweep, its initial checkpoint. */
const RunOrigin = z.object({
  repeats: z.string().optional(),
  sweep: z.string().optional(),
  checkpoint: RunCheckpoint.optional(),
});

export const RunRecord = RunMarks.extend({
  version: z.literal(1),
  id: z.string().min(1).max(64),
  name: z.string(),
  labId: z.string(),
  /** The lab as it was when the run started, except that `auto` synchronisation is resolved. */
  lab: LabDocument,
  /** Node ids in the order of their ranks along the drawn links; absent: document order. */
  nodeOrder: z.array(z.string()).optional(),
  estimate: RunEstimate.optional(),
  state: RunState,
  /** Of a queued run: the run after whose end it waits until the user starts it, another such run, or that run again. */
  heldBy: z.string().max(64).optional(),
  /** The attempt, from 1; each resume adds one. */
  attempt: z.number().int().positive(),
  createdAt: z.number(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  /**
   * From the end of each attempt to the start of the next, all in seconds; and since when, while the next is prepared. Absent: there was
   * one attempt, or all were in an earlier version.
   */
  pause: z.object({ seconds: z.number().nonnegative(), since: z.number().optional() }).optional(),
  /** It has ended in pods that end with it, and its checkpoints are being fetched from them: not all are on this computer yet. */
  unfetched: z.literal(true).optional(),
  /** Completed epochs. */
  epochsCompleted: z.number().int().nonnegative(),
  epochs: z.number().int().positive(),
  step: z.number().int().nonnegative(),
  /** Of the initial weights, while rank 0 sends them to the other ranks; 0 from the first step on. */
  sharedBytes: z.number().int().nonnegative().optional(),
  loss: z.number().nullable().optional(),
  top1: z.number().nullable().optional(),
  top5: z.number().nullable().optional(),
  bestTop1: z.number().nullable().optional(),
  ranks: z.array(RankRecord),
  /** host:port of the ranks' rendezvous. */
  master: z.object({ host: z.string(), port: z.number().int() }).optional(),
  /** Of the current attempt, where a scheduler runs it. */
  job: RunJob.optional(),
  error: WireError.optional(),
  /** Unix seconds since when a node is unreachable, by node id. */
  unreachable: z.record(z.string(), z.number()),
  badLines: z.number().int().nonnegative(),
  /** Fingerprints of the host keys that the nodes showed, by node id, by which a machine is known at a new address. */
  hostKeys: z.record(z.string(), z.string().max(200)).optional(),
  /** Clock offsets of the nodes, by node id. */
  clocks: z.record(z.string(), z.array(NodeClock)).optional(),
  origin: RunOrigin.optional(),
  /** What happens when a rank is lost, as the last start decided it; absent before the first, and in records of earlier versions. */
  onLostRank: OnLostRank.optional(),
  /** Of an own script: what its ranks ran. */
  code: RunCode.optional(),
  /** Oldest first; the newest `maxRunEvents` are kept. */
  events: z.array(RunEvent).max(maxRunEvents).optional(),
  recovery: Recovery.optional(),
  /** Where ranks were lost in this attempt and the others went on: who took part from then on, oldest first. */
  memberships: z.array(Membership).max(maxMemberships).optional(),
  /** Which ranks had rank 0's part in earlier attempts, where others than rank 0 had. */
  formerFirsts: z.array(z.number().int().nonnegative()).max(maxMemberships).optional(),
});
export type RunRecord = z.infer<typeof RunRecord>;

/** The part of a record that changes with every step. */
export const RunProgress = RunRecord.pick({
  step: true,
  epochsCompleted: true,
  sharedBytes: true,
  loss: true,
  top1: true,
  top5: true,
  bestTop1: true,
  badLines: true,
});
export type RunProgress = z.infer<typeof RunProgress>;

/** Files of a run that can be exported. */
export const Artifact = z.enum([
  'model_best.pth.tar',
  'checkpoint.pth.tar',
  'metrics.csv',
  'metrics.json',
  'commands.sh',
  'report.html',
]);
export type Artifact = z.infer<typeof Artifact>;

/** These, and files that are created or kept in addition: exported only by name. */
export const ExportedFile = z.union([Artifact, RenamedCheckpoint, KeptCheckpoint, OutputRef]);
export type ExportedFile = z.infer<typeof ExportedFile>;
