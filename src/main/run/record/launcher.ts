/** The interface for starting, signalling and looking at ranks. Schedulers such as Slurm can implement it. */
import type { StartedProcess } from '../../../shared/run/run.ts';
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
  readonly env: Readonly<Record<string, string>>;
  /** Shell prefix that enters the node's network namespace. */
  readonly enter?: string | undefined;
  readonly attempt: number;
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
  /** Unix seconds on the node's clock. */
  readonly t: number;
  /** The kernel reported that it killed the process because memory ran out. */
  readonly outOfMemory: boolean;
}

export type Sight =
  | { readonly state: 'alive'; readonly process: StartedProcess }
  | { readonly state: 'exited'; readonly exit: Exit; readonly process: StartedProcess | undefined }
  /** Neither a process nor `exit.json`: killed together with its launcher, or the file is about to be written. */
  | { readonly state: 'vanished'; readonly process: StartedProcess }
  /** The node rebooted since the start, and there is no `exit.json`. */
  | { readonly state: 'rebooted'; readonly process: StartedProcess }
  /** There are no files of this attempt. */
  | { readonly state: 'absent' };

export interface Launcher {
  /**
   * Starts a process that survives the connection and the app. Idempotent for an attempt. Rejects with `gpu_in_use`
   * where a rank of another run uses its GPU.
   */
  start(order: LaunchOrder, signal?: AbortSignal): Promise<StartedProcess>;
  /** Signals exactly this process, never one that reuses its pid. False where it is gone. */
  signal(
    order: LaunchOrder,
    process: StartedProcess,
    name: 'TERM' | 'KILL',
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** All orders belong to one node. Returns as many results, in the same order. */
  look(orders: readonly LaunchOrder[], signal?: AbortSignal): Promise<Sight[]>;
}
