/** What the run service promises to the app. `index.ts` re-exports this. */
import type {
  CheckpointFile,
  ClassifiedPicture,
  VerifiedCheckpoint,
} from '../../../shared/run/checkpoint.ts';
import type { Language } from '../../../shared/base/language.ts';
import type { MeasuredCompute } from '../../../shared/cost/estimate.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type {
  ExportedFile,
  RunCheckpoint,
  RunColour,
  RunEvent,
  RunPin,
  RunRecord,
} from '../../../shared/run/run.ts';

/** What is known of computing before a run. */
export interface KnownCompute {
  readonly compute?: MeasuredCompute;
  /** Cores of this computer. */
  readonly localCpus: number;
}

/** What the user notes on a run; what is left out stays. */
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
  /** Of the newest run that trained the same on nodes of the same kind. */
  measured(lab: LabDocument): Promise<KnownCompute>;
  /** Answers as soon as the run is recorded; preparing and training go on behind it. */
  start(lab: LabDocument): Promise<{ runId: string }>;
  /**
   * A run for each change of the lab's experiment, one after the other, after what is under way; answers when they are
   * recorded. `repeats`: the run whose lab this is; `checkpoint`: the one of it that they go on from, on the same ranks.
   */
  queue(
    lab: LabDocument,
    changes: readonly { readonly [setting: string]: unknown }[],
    repeats?: Pick<RunRecord, 'id' | 'name' | 'nodeOrder'>,
    checkpoint?: Omit<RunCheckpoint, 'runId'>,
  ): Promise<{ runIds: string[] }>;
  /** Graceful (SIGTERM, a checkpoint, exit 7); called again while stopping: SIGKILL. A waiting run leaves the queue. */
  stop(runId: string): Promise<void>;
  /** From its newest checkpoint, in the same folders. A waiting run: begins now. */
  resume(runId: string): Promise<{ runId: string }>;
  /** Notes what happened, in a run that is under way; nothing where it is not. */
  note(runId: string, events: readonly RunEvent[]): Promise<void>;
  /** Notes it in the lab's run that is under way, if any. */
  linksChanged(labId: string, what: readonly string[]): Promise<void>;
  /** `bin`: those in the bin alone, else those without. */
  list(labId?: string, bin?: boolean): Promise<RunRecord[]>;
  get(runId: string): Promise<RunRecord>;
  annotate(runId: string, change: RunAnnotation): Promise<RunRecord>;
  /** Only a run that has ended, or waits; a week later it is removed, `nodes`: with its folders on the nodes. */
  bin(runId: string, options: { nodes: boolean }): Promise<void>;
  restore(runId: string): Promise<RunRecord>;
  /** For good, and at once. */
  delete(runId: string, options: { nodes: boolean }): Promise<void>;
  /** Makes the file on this computer (fetching it from rank 0's node where it lives there) and says where it lies. */
  artifact(
    runId: string,
    artifact: ExportedFile,
    signal?: AbortSignal,
    /** Of the report. */
    language?: Language,
  ): Promise<{ path: string; name: string; bytes: number }>;
  /** Brings the file home and looks into it. Rejects with `file_unreadable` and the reason where it is damaged. */
  verify(runId: string, file: CheckpointFile, signal?: AbortSignal): Promise<VerifiedCheckpoint>;
  /** What the checkpoint sees in a picture, computed on rank 0's node; see classify.ts for what it rejects with. */
  classify(
    runId: string,
    file: CheckpointFile,
    picture: { readonly name: string; readonly bytes: Uint8Array },
    signal?: AbortSignal,
  ): Promise<ClassifiedPicture>;
  /** Every rank's exact command as a POSIX shell script that anyone can run by hand. */
  commands(runId: string): Promise<string>;
  log(query: {
    runId: string;
    rank: number;
    offset: number;
    limit: number;
  }): Promise<{ text: string; offset: number; nextOffset: number; size: number }>;
  /** Resolves when it is known of every run under way whether it goes on, or that its nodes cannot be reached. */
  sighted(): Promise<void>;
  /** Finds the runs that were under way when the app last ended, and follows them again. */
  adopt(): Promise<void>;
  /** Stops following; the ranks go on. */
  close(): Promise<void>;
}
