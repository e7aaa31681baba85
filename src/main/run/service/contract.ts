/** Public interface of the run service. `index.ts` re-exports it. */
import type {
  CheckpointFile,
  ClassifiedImage,
  VerifiedCheckpoint,
  SampleImage,
} from '../../../shared/run/checkpoint.ts';
import type { Language } from '../../../shared/base/language.ts';
import type { MeasuredCompute } from '../../../shared/cost/estimate.ts';
import type { CodeDiff, CodeFile } from '../../../shared/run/code-files.ts';
import type { WantedReplacement } from '../../../shared/run/recovery.ts';
import type { RunCode } from '../../../shared/run/run-code.ts';
import type { PictureFormat, RunPicture } from '../../../shared/run/run-media.ts';
import type { WrittenFile, WrittenList } from '../../../shared/run/written-file.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { MeasuredScript } from '../../../shared/run/script-time.ts';
import type { FoundLines, LogSearch } from '../artifacts/log-search.ts';
import type { LogQuery } from '../artifacts/rank-log.ts';
import type { LogSlice } from '../follow/log-mirror.ts';
import type {
  ExportedFile,
  RunCheckpoint,
  RunColour,
  RunEvent,
  RunPin,
  RunRecord,
} from '../../../shared/run/run.ts';

/** Known times of earlier runs. */
export interface KnownCompute {
  readonly compute?: MeasuredCompute;
  /** Of an own script: whole steps. */
  readonly script?: MeasuredScript;
  /** Cores of this computer. */
  readonly localCpus: number;
}

/** The user's annotations of a run; omitted fields do not change. */
export interface RunAnnotation {
  readonly name?: string | undefined;
  readonly notes?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly starred?: boolean | undefined;
  readonly archived?: boolean | undefined;
  readonly pins?: readonly RunPin[] | undefined;
  /** `null`: the run has its default colour again. */
  readonly colour?: RunColour | null | undefined;
}

export interface Runs {
  /** From the newest run with the same training on nodes of the same kind; of an own script from its newest run. */
  measured(lab: LabDocument): Promise<KnownCompute>;
  /** Resolves as soon as the run is recorded; preparation and training continue in the background. */
  start(lab: LabDocument): Promise<{ runId: string }>;
  /**
   * Queues a run for each change of the lab's experiment, after the active one; resolves when they are recorded.
   * `repeats`: the run whose lab this is; `checkpoint`: its checkpoint to start from, on the same ranks.
   */
  queue(
    lab: LabDocument,
    changes: readonly { readonly [setting: string]: unknown }[],
    repeats?: Pick<RunRecord, 'id' | 'name' | 'nodeOrder' | 'origin'>,
    checkpoint?: Omit<RunCheckpoint, 'runId'>,
  ): Promise<{ runIds: string[] }>;
  /**
   * SIGTERM (the ranks save a checkpoint, exit code 7); called again while stopping: SIGKILL. A queued run leaves the
   * queue.
   */
  stop(runId: string): Promise<void>;
  /**
   * Takes lost ranks in again: their nodes are prepared while the others train, then all start from a checkpoint that
   * the others save. Resolves when these are being stopped. Rejects with the error of a node that cannot be prepared,
   * and with `run_wrong_state` where no rank was lost.
   * @param wanted nodes of the lab as it is `drawn` now, which take the places of lost ones; they start as many
   * processes
   */
  rejoin(runId: string, wanted?: readonly WantedReplacement[], drawn?: LabDocument): Promise<void>;
  /** Ends the ranks of a node: the others go on without them. Rejects with `run_wrong_state` where they would not. */
  takeOut(runId: string, nodeId: string): Promise<void>;
  /**
   * Resumes from its newest checkpoint, in the same folders; takes it out of the bin. A queued run starts now, and runs that are
   * held go on after it, unless `alone`.
   */
  resume(runId: string, alone?: boolean): Promise<{ runId: string }>;
  /** Adds events to an active run; does nothing for other runs. */
  note(runId: string, events: readonly RunEvent[]): Promise<void>;
  /** Adds the event to the lab's active run, if any. */
  linksChanged(labId: string, what: readonly string[]): Promise<void>;
  /** `bin`: only those in the bin, else only the others. */
  list(labId?: string, bin?: boolean): Promise<RunRecord[]>;
  /** The runs that this app follows and that have not ended, without asking the store. */
  underWay(): RunRecord[];
  /** As they are stored, without those in the bin: the runs that have not ended, or not before this time in Unix seconds. */
  recent(since: number): Promise<RunRecord[]>;
  get(runId: string): Promise<RunRecord>;
  annotate(runId: string, change: RunAnnotation): Promise<RunRecord>;
  /** For ended and queued runs only; after a week the run is deleted, with `nodes` also its folders on the nodes. */
  bin(runId: string, options: { nodes: boolean }): Promise<void>;
  /** A queued run starts where its turn came meanwhile. */
  restore(runId: string): Promise<RunRecord>;
  /** Deletes permanently, and at once. */
  delete(runId: string, options: { nodes: boolean }): Promise<void>;
  /** Creates the file on this computer (downloads it where it is on rank 0's node) and returns its path. */
  artifact(
    runId: string,
    artifact: ExportedFile,
    signal?: AbortSignal,
    /** Language of the report. */
    language?: Language,
  ): Promise<{ path: string; name: string; bytes: number }>;
  /** Downloads the file and verifies it. Rejects with `file_unreadable` and the reason where it is damaged. */
  verify(runId: string, file: CheckpointFile, signal?: AbortSignal): Promise<VerifiedCheckpoint>;
  /** Classifies an image with the checkpoint on rank 0's node; see classify.ts for its errors. */
  classify(
    runId: string,
    file: CheckpointFile,
    image: { readonly name: string; readonly bytes: Uint8Array },
    signal?: AbortSignal,
  ): Promise<ClassifiedImage>;
  /** Images of the run's validation data, at most \`maxSamples\`; empty where its data are no folder of classes. */
  samples(runId: string, signal?: AbortSignal): Promise<SampleImage[]>;
  /** Files that an own script's ranks wrote beside its code. */
  written(runId: string, signal?: AbortSignal): Promise<WrittenList>;
  /** Downloads one of them; rejects with `nothing_to_export` where it is gone. */
  fetchWritten(
    runId: string,
    file: Pick<WrittenFile, 'rank' | 'path'>,
    signal?: AbortSignal,
  ): Promise<{ path: string; name: string; bytes: number }>;
  /** The bytes of a picture that a script logged; rejects with `nothing_to_export`. */
  picture(
    runId: string,
    picture: Pick<RunPicture, 'rank' | 'seq'>,
    signal?: AbortSignal,
  ): Promise<{ format: PictureFormat; base64: string }>;
  /** Copies the exact code of an own script's run into a new folder. Rejects with `code_gone`, `file_exists`. */
  takeOutCode(runId: string, to: string): Promise<void>;
  /** The files of that code, and whether it differed from its commit. Rejects with `code_gone`. */
  codeFiles(runId: string): Promise<{ files: CodeFile[]; code: RunCode; hasDiff: boolean }>;
  /** A text file of it. Rejects with `file_unreadable`. */
  codeText(runId: string, file: string): Promise<string>;
  /** What led from another run's code to this one's; without `before` from the commit, as it was when the run started. */
  codeDiff(runId: string, before?: string): Promise<CodeDiff>;
  /** Removes kept code that no run names any more. Resolves to how many versions. */
  pruneCode(): Promise<number>;
  /** Resolves when nothing more is fetched from the pods of runs that have ended in this app, and these are released. */
  leftPods(): Promise<void>;
  /** Every rank's exact command as a POSIX shell script that can be run by hand. */
  commands(runId: string): Promise<string>;
  /** A negative offset counts from the end. */
  log(query: LogQuery): Promise<LogSlice>;
  /** Searches the logs of all ranks. */
  searchLogs(runId: string, wanted: LogSearch, signal?: AbortSignal): Promise<FoundLines>;
  /** Resolves when each active run is known to be running or its nodes to be unreachable. */
  sighted(): Promise<void>;
  /** Finds the runs that were active when the app last ended, and follows them again. */
  adopt(): Promise<void>;
  /**
   * Starts, after `adopt`, what waits in the queue of the lab, or of each, where no run is under way and the user does not hold
   * it: the last app ended before it came to it.
   */
  startWaiting(labId?: string): Promise<void>;
  /** Stops following; the ranks keep running. A run that the queue started and that is being prepared is queued again. */
  close(): Promise<void>;
}
