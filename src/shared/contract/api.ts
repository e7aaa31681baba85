/**
 * The API: every request that a client (window, browser, command line) may send to main, and every event that main
 * publishes, each with its schemas. Nothing else crosses the boundary.
 */
import * as z from 'zod';
import {
  CheckpointFile,
  ClassifiedImage,
  maxImageBytes,
  maxSamples,
  SampleImage,
  VerifiedCheckpoint,
} from '../run/checkpoint.ts';
import { Phrase } from '../base/phrase.ts';
import { languages } from '../base/language.ts';
import { WireError } from '../base/errors.ts';
import { Experiment, LabDocument } from '../lab/lab.ts';
import { Hardware } from '../node/hardware.ts';
import { LabIssue } from '../lab/lab-issue.ts';
import { LinkTraffic, NetworkState } from '../node/network.ts';
import { Point, Series, SeriesQuery, Source } from '../metrics/metrics.ts';
import { ConnectionState, NodeFacts, NodePlan, NodeReadiness, PlanOf, StepId } from '../node/provision.ts';
import { KubernetesFacts } from '../node/kubernetes-facts.ts';
import { FolderTrial, SlurmFacts } from '../node/slurm-facts.ts';
import { Prompt, PromptAnswer } from './prompts.ts';
import {
  ExportedFile,
  maxPins,
  maxTags,
  RunCheckpoint,
  RunColour,
  RunPin,
  RunProgress,
  RunRecord,
  RunTag,
} from '../run/run.ts';
import { EventEnvelope } from './rpc.ts';
import { maxReplacements, WantedReplacement } from '../run/recovery.ts';
import { RunFigures } from '../run/run-figures.ts';
import { maxValued, RunScalarValues } from '../run/scalar-values.ts';
import { maxEventPicture, PictureFormat, RunMedia, RunPicture } from '../run/run-media.ts';
import { longestScalarName, RunOutputs } from '../run/run-outputs.ts';
import { WrittenFile, WrittenList } from '../run/written-file.ts';
import { MeasuredScript } from '../run/script-time.ts';
import { CodeDiff, CodeFile } from '../run/code-files.ts';
import { CodeSize } from '../run/code-size.ts';
import { RunCode } from '../run/run-code.ts';
import { ConfigHost, ConfigWarning } from '../lab/ssh-config.ts';
import { maxScriptBytes, ScriptFile, ScriptText } from './script-files.ts';
import { maxPatterns } from '../lab/script.ts';
import { TriedPattern, TriedPatterns } from './tried-patterns.ts';
import { TerminalSize, TerminalState } from '../node/terminal.ts';

const Nothing = z.object({});
const LabRef = z.object({ labId: z.string().max(64) });
/** A lab outside the data folder: the command line's file. */
const LabValue = z.object({ lab: LabDocument });
const AnyLab = z.union([LabRef, LabValue]);
const NodeRef = LabRef.extend({ nodeId: z.string().max(64) });
const TerminalRef = z.object({ terminalId: z.string().min(1).max(64) });
const ScriptFileRef = LabRef.extend({ file: z.string().min(1).max(1024) });
const RunRef = z.object({ runId: z.string().min(1).max(64) });

export const Settings = z.object({
  language: z.enum(['system', ...languages]),
  theme: z.enum(['system', 'light', 'dark']),
  /** Notify on the desktop when a run ends or a node is lost. */
  notifications: z.boolean(),
});
export type Settings = z.infer<typeof Settings>;

export const LabSummary = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  nodes: z.number().int(),
  /** Unix seconds. */
  changedAt: z.number(),
  /** Set where the file cannot be read: it is listed with the reason, and left unchanged. */
  error: WireError.optional(),
});
export type LabSummary = z.infer<typeof LabSummary>;

/** The order in which labs are listed: 'New lab 2' before 'New lab 10'. */
export const byName = (a: LabSummary, b: LabSummary): number =>
  a.name.localeCompare(b.name, undefined, { numeric: true }) || a.id.localeCompare(b.id);

/** A lab that is not stored, but has runs. */
export const RunLab = z.object({
  labId: z.string(),
  name: z.string(),
  /** Its newest run, and when that was made: Unix seconds. */
  runId: z.string(),
  at: z.number(),
  runs: z.number().int(),
});
export type RunLab = z.infer<typeof RunLab>;

/** An open lab: `revision` goes up by one with each save. */
export const OpenLab = z.object({
  lab: LabDocument,
  path: z.string(),
  revision: z.number().int().nonnegative(),
  issues: z.array(LabIssue),
});
export type OpenLab = z.infer<typeof OpenLab>;

/** Maximum number of runs in a sweep: two settings, as many values as a user can survey. */
export const maxQueued = 64;

export const RunSummary = RunRecord.omit({ lab: true, ranks: true, events: true, pins: true }).extend({
  nodes: z.number().int(),
  worldSize: z.number().int(),
  experiment: Experiment,
});
export type RunSummary = z.infer<typeof RunSummary>;

/** A run's summary omits the fields that grow. Keys that the schema does not know are dropped. */
export const summaryOf = (run: RunRecord, nodes: number): RunSummary =>
  RunSummary.parse({
    ...run,
    nodes,
    worldSize: run.ranks.length,
    experiment: run.lab.experiment,
  });

/** What is looked for on this computer. */
export const DoctorPart = z.enum([
  'node',
  'data-folder',
  'trainer',
  'libtorch',
  'compiler',
  'cmake',
  'ninja',
  'openssh',
  'python-torch',
  'kept-code',
  'nvidia',
]);
export type DoctorPart = z.infer<typeof DoctorPart>;

export const DoctorItem = z.object({
  id: DoctorPart,
  ok: z.boolean(),
  /** 'libtorch 1.13.1' */
  found: Phrase,
  /** How to fix it, where it is not ok. */
  remedy: Phrase,
  required: z.boolean(),
});
export type DoctorItem = z.infer<typeof DoctorItem>;

/** Where an exported file is: saved on this computer, or to be downloaded by the browser from `url`. */
export const Delivery = z.object({
  name: z.string(),
  bytes: z.number(),
  savedTo: z.string().optional(),
  url: z.string().optional(),
});
export type Delivery = z.infer<typeof Delivery>;

const SomeNodes = { nodeIds: z.array(z.string()).optional() };
const SomeSteps = { ...SomeNodes, redo: z.array(StepId).optional() };
/** `12.4` */
export const CudaVersion = z.string().regex(/^\d{1,2}\.\d{1,2}$/);
const BundleAsked = {
  folder: z.string().min(1).max(4096).optional(),
  /** Conda's packages and wheels are for this CUDA version, whatever the nodes have. */
  cuda: CudaVersion.optional(),
};

/** The locked packages of one kind of node. */
export const LockSummary = z.object({
  platform: z.string(),
  cuda: z.string().nullable(),
  channel: z.string(),
  libtorch: z.string().nullable(),
  packages: z.number().int(),
  bytes: z.number(),
});
export type LockSummary = z.infer<typeof LockSummary>;

export const BundleSummary = z.object({
  folder: z.string(),
  systems: z.array(z.string()),
  packages: z.number().int(),
  bytes: z.number(),
  conda: z.number().int(),
  micromamba: z.array(z.string()),
  trainers: z.number().int(),
  /** Environments of wheels. */
  wheels: z.array(
    z.object({
      arch: z.string(),
      python: z.string(),
      torch: z.string().nullable(),
      packages: z.number().int(),
      bytes: z.number(),
    }),
  ),
  /** Versions of uv's Pythons, for nodes without one. */
  pythons: z.array(z.string()),
});
export type BundleSummary = z.infer<typeof BundleSummary>;

export const requests = {
  'app.info': {
    args: Nothing,
    result: z.object({
      version: z.string(),
      host: z.enum(['electron', 'web', 'cli']),
      platform: z.string(),
      dataFolder: z.string(),
      /** Where passwords are stored: the system's keyring, or this process's memory. */
      secrets: z.enum(['keyring', 'memory']),
      /** Whether an update replaced the program's files since it was started. */
      replaced: z.boolean(),
      /** Of this computer, which local nodes share. */
      hardware: Hardware,
    }),
  },
  /** Asks a command that holds the data folder to leave it to a window: it does where it only follows a run. */
  'app.handOver': { args: Nothing, result: Nothing },
  'app.doctor': { args: Nothing, result: z.array(DoctorItem) },
  'settings.get': { args: Nothing, result: Settings },
  'settings.set': { args: Settings.partial(), result: Settings },
  /**
   * Events after `seq`; `complete` is false where the log does not reach back that far: the client must
   * resynchronise.
   */
  'events.since': {
    args: z.object({ session: z.string(), seq: z.number().int().nonnegative() }),
    result: z.object({ complete: z.boolean(), events: z.array(EventEnvelope), lastSeq: z.number().int() }),
  },

  'lab.list': { args: Nothing, result: z.array(LabSummary) },
  'lab.examples': {
    args: Nothing,
    result: z.array(z.object({ name: z.string(), title: Phrase, description: Phrase })),
  },
  'lab.create': {
    args: z.object({ name: z.string().max(120), description: z.string().max(20_000) }),
    result: OpenLab,
  },
  /** Copies an example under a new name and id, with its texts in the given language. */
  'lab.fromExample': {
    args: z.object({ name: z.string().max(120), language: z.enum(languages) }),
    result: OpenLab,
  },
  /**
   * Imports a lab file's text, with a new id where its own is in use. Unless it is the user's own, fields that name
   * files or programs of this computer are dropped and listed in `dropped` (foreign-lab.ts).
   */
  'lab.import': {
    args: z.object({ text: z.string(), name: z.string().max(255), own: z.boolean().optional() }),
    result: OpenLab.extend({ dropped: z.array(z.string()) }),
  },
  'lab.open': { args: LabRef, result: OpenLab },
  /** Labs that only runs have, the newest run first: those that the command line ran from a file, and deleted ones. */
  'lab.ofRuns': { args: Nothing, result: z.array(RunLab) },
  /** Opens a run's lab; where it is not stored, as the run had it. */
  'lab.fromRun': { args: RunRef, result: OpenLab },
  /** Fails with `lab_conflict` where `revision` is not the newest: another client saved in between. */
  'lab.save': {
    args: z.object({ lab: LabDocument, revision: z.number().int().nonnegative() }),
    result: OpenLab,
  },
  /** What the lab needs from this computer and does not find there: key files, data, code, an SSH agent. */
  'lab.checkHere': { args: LabValue, result: z.array(LabIssue) },
  'lab.duplicate': { args: LabRef.extend({ name: z.string().max(120) }), result: OpenLab },
  /**
   * Delivers a file that the window created, as exports are delivered. The largest is a chart's CSV; the web host takes no
   * messages above 64 MiB.
   */
  'file.save': {
    args: z.object({ name: z.string().min(1).max(200), base64: z.base64().max(48_000_000) }),
    result: Delivery,
  },
  'lab.delete': { args: LabRef, result: Nothing },
  /** Takes a deleted lab out of the trash. */
  'lab.restore': { args: LabRef, result: Nothing },

  /**
   * The text files in the folder of the lab's own script, as the lab is stored; `more`: there are others. Fails with
   * `file_unreadable`.
   */
  'script.files': {
    args: LabRef,
    result: z.object({ files: z.array(ScriptFile), more: z.boolean() }),
  },
  /**
   * How much of that folder is sent. Fails with `code_too_large`, which names what is big, `code_link_outside` or
   * `file_unreadable`.
   */
  'script.size': { args: LabRef, result: CodeSize },
  /** A file of that folder: UTF-8, at most 1 MB. Fails with `file_unreadable`. */
  'script.read': { args: ScriptFileRef, result: ScriptText },
  /**
   * `sha256`: of the content that was read. Fails with `script_changed` where the file is another one by now, and then
   * changes nothing.
   */
  'script.save': {
    args: ScriptFileRef.extend({ text: z.string().max(maxScriptBytes), sha256: z.string().length(64) }),
    result: ScriptText.omit({ text: true }),
  },
  /** What patterns for printed lines find in the newest log of the lab's scripts, and what is wrong with each. */
  'script.tryPatterns': {
    args: LabRef.extend({ patterns: z.array(TriedPattern).max(maxPatterns) }),
    result: TriedPatterns,
  },
  /** The kept value of a secret variable of the lab's script: the next run asks again. */
  'script.forget': { args: LabRef.extend({ name: z.string().max(128) }), result: Nothing },
  /** Names of the folders in a folder of this computer, to complete a typed path; none where it cannot be read. */
  'folder.list': {
    args: z.object({ path: z.string().min(1).max(4096) }),
    result: z.object({ folders: z.array(z.string()), more: z.boolean() }),
  },

  /** Connects and reads the node's facts; changes nothing. */
  'node.probe': { args: NodeRef, result: NodeFacts },
  /**
   * What the lab's Slurm cluster offers. Waits up to five seconds for the controller's turn; fails with `cluster_silent`.
   * Changes nothing.
   */
  'slurm.facts': { args: AnyLab, result: SlurmFacts },
  /** What the lab's Kubernetes cluster offers its account. Changes nothing. */
  'kubernetes.facts': { args: AnyLab, result: KubernetesFacts },
  /** A job of some seconds, which reads a file that was written on the login node. Fails with `job_refused`. */
  'slurm.tryFolder': { args: LabRef, result: FolderTrial },
  /** Closes the connection to a node and, for a local node, its server; detached processes on it keep running. */
  'node.stop': { args: NodeRef, result: Nothing },
  /** Asks the user each time; answers when the node is back. A local node's server is restarted. */
  'node.reboot': { args: NodeRef, result: Nothing },
  /** Shows a node's home in this computer's file manager, over SFTP where the node is another machine. */
  'node.openFolder': { args: NodeRef, result: Nothing },
  /** The command that a user can type to log in to the node. */
  'node.sshCommand': { args: NodeRef, result: z.object({ command: z.string() }) },
  'node.connections': { args: LabRef, result: z.array(ConnectionState) },
  'provision.status': { args: AnyLab, result: z.array(NodeReadiness) },
  /** Prepares the lab's nodes, or the given ones; answers when all are ready or have failed. */
  'provision.prepare': {
    args: z.union([LabRef.extend(SomeSteps), LabValue.extend(SomeSteps)]),
    result: z.array(NodeReadiness),
  },

  /** Dry run: what preparing these nodes would do, with the exact commands. */
  'provision.plan': {
    args: z.union([
      LabRef.extend(SomeNodes).extend({ of: PlanOf.optional() }),
      LabValue.extend(SomeNodes).extend({ of: PlanOf.optional() }),
    ]),
    result: z.array(NodePlan),
  },
  /**
   * Solves the lab's conda environment again on a node of each kind and stores the lock with the lab; installs
   * nothing.
   */
  'provision.lock': { args: AnyLab, result: z.array(LockSummary) },
  /**
   * Downloads what the lab's nodes would need without internet, into a local folder or to where preparation looks for
   * it.
   */
  'bundle.make': {
    args: z.union([LabRef.extend(BundleAsked), LabValue.extend(BundleAsked)]),
    result: BundleSummary,
  },
  /**
   * Imports a bundle made elsewhere: returns how many objects and bytes were new. Its programs (trainers, micromamba,
   * wheels) are imported only where `programs` is set.
   */
  'bundle.add': {
    args: z.object({ folder: z.string().min(1).max(4096), programs: z.boolean() }),
    result: z.object({ objects: z.number().int(), bytes: z.number(), programsLeft: z.number().int() }),
  },
  /** Removes everything of Ringlab from the node, after a question that lists it. */
  'node.remove': {
    args: NodeRef,
    result: z.object({
      freedBytes: z.number(),
      /** What remains: not Ringlab's, another user's, a mounted file system, or the target of a symbolic link. */
      stays: z.array(z.object({ path: z.string(), why: z.enum(['other', 'owner', 'mount', 'link']) })),
    }),
  },
  /** Hosts of the user's own `~/.ssh/config`, as OpenSSH resolves them. */
  'ssh.hosts': {
    args: Nothing,
    result: z.object({ hosts: z.array(ConfigHost), warnings: z.array(ConfigWarning) }),
  },
  /** Opens a shell on a node in a terminal. */
  'terminal.open': { args: NodeRef.extend({ size: TerminalSize }), result: TerminalState },
  'terminal.list': { args: LabRef, result: z.array(TerminalState) },
  /** Output from `offset` (characters), or from the oldest that is kept. */
  'terminal.read': {
    args: TerminalRef.extend({ offset: z.number().int().nonnegative() }),
    result: z.object({ text: z.string(), offset: z.number().int(), end: z.number().int() }),
  },
  'terminal.input': { args: TerminalRef.extend({ text: z.string().max(1_000_000) }), result: Nothing },
  /** Acknowledges output up to `end`, so that more can be sent (flow control). */
  'terminal.seen': { args: TerminalRef.extend({ end: z.number().int().nonnegative() }), result: Nothing },
  'terminal.resize': { args: TerminalRef.extend({ size: TerminalSize }), result: Nothing },
  'terminal.close': { args: TerminalRef, result: Nothing },

  'net.state': { args: LabRef, result: NetworkState },
  /** Pulls the cable of an emulated link, or puts it back. */
  'net.cut': { args: LabRef.extend({ linkId: z.string().max(64), down: z.boolean() }), result: NetworkState },

  'prompt.list': { args: Nothing, result: z.array(Prompt) },
  'prompt.answer': { args: z.object({ promptId: z.string(), answer: PromptAnswer }), result: Nothing },
  /** Host keys that the app's own store trusts. */
  'trust.list': {
    args: Nothing,
    result: z.array(
      z.object({
        host: z.string(),
        /** The key's type; where `isWeak`, the names of the allowed algorithms. */
        type: z.string(),
        fingerprint: z.string(),
        addedAt: z.number(),
        /** The entry allows weak algorithms for the host and is not a key. */
        isWeak: z.boolean().optional(),
      }),
    ),
  },
  'trust.forget': { args: z.object({ host: z.string() }), result: Nothing },
  'secret.forget': { args: NodeRef, result: Nothing },

  /** Compute times that earlier runs measured for this experiment on nodes of this kind; of an own script its steps. */
  'estimate.measured': {
    args: z.object({ lab: LabDocument }),
    result: z.object({
      compute: z.object({ seconds: z.number(), runId: z.string(), runName: z.string() }).optional(),
      script: MeasuredScript.optional(),
      /** Cores of this computer, shared by its local nodes. */
      localCpus: z.number().int().positive(),
    }),
  },

  /**
   * Fails with `run_wrong_state` and `run` where a run of this lab is active, including one that a previous app left
   * running.
   */
  'run.start': { args: AnyLab, result: RunRef },
  /** A second call while the run is stopping sends SIGKILL. */
  'run.stop': { args: RunRef, result: Nothing },
  /**
   * Prepares the nodes of lost ranks while the others train, and starts all from a checkpoint that these save.
   * `replace`: other nodes of the lab in the places of lost ones; `lab`: the drawing that has them, by default the stored one.
   */
  'run.rejoin': {
    args: RunRef.extend({
      replace: z.array(WantedReplacement).max(maxReplacements).optional(),
      lab: LabDocument.optional(),
    }),
    result: Nothing,
  },
  /** Ends a node's ranks; the others go on without them (`onLostRank: continue`). */
  'run.takeOut': { args: RunRef.extend({ nodeId: z.string().min(1).max(64) }), result: Nothing },
  /**
   * Resumes from the last checkpoint, in the same folders; curves continue. A queued run starts now, and those that are held in the
   * queue go on after it; `alone`: they stay held.
   */
  'run.resume': { args: RunRef.extend({ alone: z.boolean().optional() }), result: RunRef },
  /** Downloads the file and verifies it: it opens, its checksums are right, every tensor is there. */
  'checkpoint.verify': { args: RunRef.extend({ file: CheckpointFile }), result: VerifiedCheckpoint },
  /** Classifies an image with the checkpoint, computed on the node that holds it. */
  'checkpoint.classify': {
    args: RunRef.extend({
      file: CheckpointFile,
      name: z.string().max(255),
      base64: z.base64().max(Math.ceil(maxImageBytes / 3) * 4),
    }),
    result: ClassifiedImage,
  },
  /** A few images of its validation data, to test a checkpoint with. */
  'checkpoint.samples': { args: RunRef, result: z.array(SampleImage).max(maxSamples) },
  /**
   * Queues a run for each change, of the current lab or an earlier run's; together they are a sweep. They run one
   * after another, after the lab's active run. `checkpoint`: start from that checkpoint of the earlier run.
   */
  'run.queue': {
    args: z.object({
      from: z.union([LabRef, RunRef, LabValue]),
      changes: z.array(Experiment.partial()).min(1).max(maxQueued),
      checkpoint: RunCheckpoint.omit({ runId: true }).optional(),
    }),
    result: z.object({ runIds: z.array(z.string()) }),
  },
  /**
   * Runs outside the bin; `bin`: those in it. `asked`: waits until the nodes of active runs have reported their state
   * or proved unreachable.
   */
  'run.list': {
    args: z.object({
      labId: z.string().optional(),
      bin: z.boolean().optional(),
      asked: z.boolean().optional(),
    }),
    result: z.array(RunSummary),
  },
  /** Stored runs that cannot be opened: damaged, or of a newer Ringlab. Their files are left unchanged. */
  'run.problems': { args: Nothing, result: z.array(WireError) },
  'run.get': { args: RunRef, result: RunRecord },
  /** The runs' key figures, in the order of the request. */
  'run.figures': {
    args: z.object({ runIds: z.array(z.string().min(1).max(64)).min(1).max(256) }),
    result: z.array(RunFigures),
  },
  /** The names of the runs' scalars, and the asked ones' last, lowest and highest values; in the order of the request. */
  'run.scalarValues': {
    args: z.object({
      runIds: z.array(z.string().min(1).max(64)).min(1).max(256),
      names: z.array(z.string().min(1).max(longestScalarName)).max(maxValued),
    }),
    result: z.array(RunScalarValues),
  },
  'run.annotate': {
    args: RunRef.extend({
      name: z.string().max(120).optional(),
      notes: z.string().max(20_000).optional(),
      tags: z.array(RunTag).max(maxTags).optional(),
      starred: z.boolean().optional(),
      archived: z.boolean().optional(),
      pins: z.array(RunPin).max(maxPins).optional(),
      /** null removes the run's own colour. */
      colour: RunColour.nullable().optional(),
    }),
    result: RunRecord,
  },
  /** Moves an ended run into the bin; after a week it is deleted, with `nodes` also its folders on the nodes. */
  'run.bin': { args: RunRef.extend({ nodes: z.boolean() }), result: Nothing },
  'run.restore': { args: RunRef, result: RunRecord },
  /** Deletes an ended run permanently; with `nodes` also its folders on the nodes. */
  'run.delete': { args: RunRef.extend({ nodes: z.boolean() }), result: Nothing },
  /** Fetches the file from rank 0's node where it is available, and delivers it to the user through the host. */
  'run.export': {
    args: RunRef.extend({
      artifact: ExportedFile,
      /** Language of the report. */
      language: z.enum(['en', 'zh-CN']).optional(),
    }),
    result: Delivery,
  },
  /** The same for a program on this computer: the path of the app's own file, to be copied. */
  'run.file': {
    args: RunRef.extend({
      artifact: ExportedFile,
      language: z.enum(['en', 'zh-CN']).optional(),
    }),
    result: z.object({ path: z.string(), name: z.string(), bytes: z.number() }),
  },
  /** Files that an own script's ranks wrote beside its code, asked of the nodes. */
  'run.written': { args: RunRef, result: WrittenList },
  /** Fetches one of them: the path of a file that the caller moves to where it belongs. */
  'run.writtenFile': {
    args: RunRef.extend(WrittenFile.pick({ rank: true, path: true }).shape),
    result: z.object({ path: z.string(), name: z.string(), bytes: z.number() }),
  },
  /** Copies the exact code of an own script's run into a new or empty folder of this computer. */
  'run.takeOutCode': { args: RunRef.extend({ to: z.string().min(1).max(4096) }), result: Nothing },
  /** The files of that code; `hasDiff`: it differed from its commit. Fails with `nothing_to_export`, `code_gone`. */
  'run.codeFiles': {
    args: RunRef,
    result: z.object({ files: z.array(CodeFile), code: RunCode, hasDiff: z.boolean() }),
  },
  /** A text file of it, at most 1 MB. Fails with `file_unreadable`. */
  'run.codeText': {
    args: RunRef.extend({ file: z.string().min(1).max(4096) }),
    result: z.object({ text: z.string() }),
  },
  /** What led from the code of the run `before` to this one's; without it from the commit. */
  'run.codeDiff': { args: RunRef.extend({ before: z.string().min(1).max(64).optional() }), result: CodeDiff },
  /** The text of `commands.sh`, to show. */
  'run.commands': { args: RunRef, result: z.object({ text: z.string() }) },

  'metrics.series': { args: SeriesQuery, result: z.array(Series) },
  /** Which series a run has, and how many points each. */
  'metrics.catalogue': {
    args: RunRef,
    result: z.array(
      z.object({
        source: Source,
        kind: z.string(),
        field: z.string(),
        points: z.number().int(),
        /** How many lines have a step, and an epoch. */
        steps: z.number().int(),
        epochs: z.number().int(),
      }),
    ),
  },
  /** What the ranks reported beside the trainer's lines: names of scalars, files, progress, problems. */
  'run.outputs': { args: RunRef, result: RunOutputs },
  /** Histograms and pictures in a script's event files, as far as they are collected. */
  'run.media': { args: RunRef, result: RunMedia },
  /** The bytes of one of the pictures. Fails with `nothing_to_export`. */
  'run.picture': {
    args: RunRef.extend(RunPicture.pick({ rank: true, seq: true }).shape),
    result: z.object({
      format: PictureFormat,
      base64: z.base64().max(Math.ceil(maxEventPicture / 3) * 4),
    }),
  },
  /** Number of stored lines of a run. */
  'metrics.count': { args: RunRef, result: z.object({ lines: z.number().int() }) },
  /** The newest lines of the given kinds, oldest first: events for marks, the last sample of a node. */
  'metrics.lines': {
    args: RunRef.extend({
      kinds: z.array(z.string()).min(1).max(16),
      source: Source.optional(),
      limit: z.number().int().min(1).max(5000),
    }),
    result: z.array(Point),
  },
  /** Bytes of a rank's log from `offset`; a negative offset counts from the end. */
  'log.read': {
    args: RunRef.extend({
      rank: z.number().int().nonnegative(),
      offset: z.number().int(),
      limit: z.number().int().min(1).max(1_000_000),
    }),
    result: z.object({
      text: z.string(),
      offset: z.number().int(),
      nextOffset: z.number().int(),
      size: z.number().int(),
      /** From which line of the text on, counted from 0, lines arrived on this computer at `t` (Unix seconds), where that was noted. */
      arrivals: z
        .array(z.object({ line: z.number().int().nonnegative(), t: z.number() }))
        .readonly()
        .optional(),
    }),
  },
  /** The newest lines of all ranks' logs that contain the text (all for an empty one), by time. */
  'log.search': {
    args: RunRef.extend({ text: z.string().max(500), limit: z.number().int().min(1).max(5000) }),
    result: z.object({
      lines: z.array(
        z.object({
          rank: z.number().int(),
          /** Line number in the rank's log, from 1. */
          number: z.number().int(),
          text: z.string(),
          /** Unix seconds of the step that the line reports, or of the step before it. */
          t: z.number().optional(),
        }),
      ),
      total: z.number().int(),
      /** Ranks whose logs are longer than the `bytes` that are copied of each, which alone are searched. */
      beyond: z.object({ ranks: z.array(z.number().int()), bytes: z.number().int() }).optional(),
    }),
  },
} as const;

export type RequestName = keyof typeof requests;
export type RequestArgs<N extends RequestName> = z.input<(typeof requests)[N]['args']>;
export type RequestResult<N extends RequestName> = z.output<(typeof requests)[N]['result']>;
export const isRequestName = (name: string): name is RequestName => Object.hasOwn(requests, name);

export const events = {
  /** `summary` is null where the lab was removed. */
  'lab.changed': z.object({
    labId: z.string(),
    revision: z.number().int(),
    summary: LabSummary.nullable(),
  }),
  'run.changed': z.object({ run: RunRecord }),
  /** What steps change in a record, a few times a second while it trains. Only the newest event matters. */
  'run.progress': z.object({ runId: z.string(), progress: RunProgress }),
  /** Bytes of a run's file that is being fetched from its node. Only the newest event matters. */
  'artifact.progress': z.object({
    runId: z.string(),
    artifact: z.string(),
    done: z.number(),
    total: z.number(),
  }),
  'run.removed': RunRef,
  /** Newly stored points. `truncated`: too many were left out; request `metrics.series` again. */
  'run.points': z.object({ runId: z.string(), points: z.array(Point), truncated: z.boolean() }),
  'run.log': z.object({ runId: z.string(), rank: z.number().int(), size: z.number().int() }),
  'provision.changed': z.object({ readiness: NodeReadiness }),
  'connection.changed': z.object({ connection: ConnectionState }),
  'net.changed': z.object({ state: NetworkState }),
  /** Once a second while a run uses the links. */
  'net.traffic': z.object({ labId: z.string(), links: z.array(LinkTraffic) }),
  /** New output. Where `text` was omitted it is empty: request `terminal.read` from `offset`. */
  'terminal.data': z.object({ terminalId: z.string(), offset: z.number().int(), text: z.string() }),
  'terminal.ended': z.object({ terminal: TerminalState }),
  'prompt.asked': z.object({ prompt: Prompt }),
  'prompt.closed': z.object({ promptId: z.string() }),
  'settings.changed': z.object({ settings: Settings }),
  /** An update replaced the program's files: what runs is the version before. */
  'app.replaced': Nothing,
  /** An error that belongs to no pending request. */
  'app.problem': z.object({ error: WireError }),
} as const;

export type EventName = keyof typeof events;
export type EventData<N extends EventName> = z.output<(typeof events)[N]>;
export type AnyEvent = { [N in EventName]: { seq: number; name: N; data: EventData<N> } }[EventName];

/** The part of AbortSignal that is needed; this layer has neither DOM nor Node types. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The interface of main, the same in process, over IPC and over a WebSocket. */
export interface LabApi {
  /** Rejects with a RinglabError. Aborting the signal cancels the work and rejects with `cancelled`. */
  call<N extends RequestName>(
    name: N,
    args: RequestArgs<N>,
    signal?: CancelSignal,
  ): Promise<RequestResult<N>>;
  /** Delivers events in order of `seq`. Returns a function that unsubscribes. */
  subscribe(listener: (event: AnyEvent) => void): () => void;
}
