/** The interface for starting, signalling and looking at ranks: over SSH, or through a cluster's scheduler. */
import type { WireError } from '../../../shared/base/errors.ts';
import type { RunJob } from '../../../shared/run/run-job.ts';
import type { StartedProcess } from '../../../shared/run/run.ts';
import type { LineClock } from '../../../shared/node/node-clock.ts';
import type { RankPlace } from './neighbours.ts';

/** What to start and where. `attempt` distinguishes the files of one start from those of an earlier one. */
export interface LaunchOrder {
  readonly nodeId: string;
  /** `rank-0`, `monitor`: for messages. */
  readonly label: string;
  /** Absolute path of its folder on the node. */
  readonly directory: string;
  /** Where the command works; its folder by default. */
  readonly workingDirectory?: string | undefined;
  readonly argv: readonly string[];
  /** The command in place of it where a scheduler starts the same attempt again and rank 0 has a checkpoint. */
  readonly againArgv?: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Shell prefix that enters the node's network namespace. */
  readonly enter?: string | undefined;
  readonly attempt: number;
  /** What its lines are dated by; the machine's clock as it is at the start by default. */
  readonly clock?: LineClock | undefined;
  /** Its output is read for metrics: another start is marked in it. */
  readonly marksStarts?: boolean | undefined;
  /** For a rank to be started: the resources that it uses. */
  readonly place?: RankPlace | undefined;
  /** The run's secret, and the file for it in the folder; needed only to start. */
  readonly secret?: { readonly file: string; readonly text: string } | undefined;
  /** Secret variables of the process as a shell's assignments, in a file that is gone before the process starts. */
  readonly variables?: { readonly file: string; readonly text: string } | undefined;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: number | null;
  /** Unix seconds on the clock of its attempt's lines. */
  readonly t: number;
  /** The kernel reported that it killed the process because memory ran out. */
  readonly outOfMemory: boolean;
}

export type Sight =
  /** `job`: the scheduler's job that it is part of, which may still wait in the queue. */
  | { readonly state: 'alive'; readonly process: StartedProcess; readonly job?: RunJob | undefined }
  | { readonly state: 'exited'; readonly exit: Exit; readonly process: StartedProcess | undefined }
  /** Neither a process nor `exit.json`: killed together with its launcher, or the file is about to be written. */
  | { readonly state: 'vanished'; readonly process: StartedProcess }
  /** The node rebooted since the start, and there is no `exit.json`. */
  | { readonly state: 'rebooted'; readonly process: StartedProcess }
  /** The scheduler took the node away: time limit, node failure, preemption, a cancelled job. */
  | { readonly state: 'revoked'; readonly process: StartedProcess; readonly fault: WireError }
  /** It was asked for, and whether it starts is not known yet. */
  | { readonly state: 'starting' }
  /** There are no files of this attempt. */
  | { readonly state: 'absent' };

/** What is to start on one drawn node. */
export interface NodeOrders {
  /** In the order of their numbers. */
  readonly ranks: readonly LaunchOrder[];
  /** The monitor and the collector: training does not need them. They start when the ranks run. */
  readonly beside: readonly LaunchOrder[];
}

export interface StartListener {
  /** A rank runs, or is queued as part of `job`. */
  started(order: LaunchOrder, process: StartedProcess, job?: RunJob): Promise<void>;
  /** What runs beside the ranks could not be started. */
  without(order: LaunchOrder, error: unknown): void;
}

export interface Launcher {
  /**
   * Starts all processes of a run so that they survive the connection and the app. Idempotent for an attempt. Rejects
   * with the first error after every node has been tried: `gpu_in_use` where a rank of another run uses its GPU,
   * `job_refused` where a scheduler does not take the job.
   * @param nodes in the order of their ranks
   */
  startAll(nodes: readonly NodeOrders[], listener: StartListener): Promise<void>;
  /**
   * Signals exactly this process, never one that reuses its pid; of a scheduler's job all processes. False where it is
   * gone.
   */
  signal(
    order: LaunchOrder,
    process: StartedProcess,
    name: 'TERM' | 'KILL',
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** All orders belong to nodes that one session serves. Returns as many results, in the same order. */
  look(orders: readonly LaunchOrder[], signal?: AbortSignal): Promise<Sight[]>;
  /**
   * Whether processes of earlier attempts still run in the folders of these orders, which belong to nodes that one session serves. Absent
   * where a scheduler ends a run's processes with its job.
   * @param asks SIGTERM to each of them first, if it has not had one
   */
  earlier?(orders: readonly LaunchOrder[], asks: boolean, signal?: AbortSignal): Promise<boolean>;
  /**
   * Ends what a scheduler may still have of a run whose files are about to be removed. Rejects where that is not certain.
   * @param directory of one of its ranks
   */
  abandon?(directory: string, signal?: AbortSignal): Promise<void>;
  /** Gives back what the ended run held of a cluster. Its files on the nodes are gone then. */
  release?(): Promise<void>;
}
