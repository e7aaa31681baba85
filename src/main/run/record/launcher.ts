/** How ranks are started, signalled and looked at. Schedulers such as Slurm are other implementations. */
import type { StartedProcess } from '../../../shared/run/run.ts';
import type { RankPlace } from './neighbours.ts';

/** What to start and where. `attempt` distinguishes the files of one start from those of an earlier one. */
export interface LaunchOrder {
  readonly nodeId: string;
  /** `rank-0`, `monitor`: for messages. */
  readonly label: string;
  /** Absolute path of its folder on the node: also its working directory. */
  readonly directory: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Shell text that starts what follows it where the node's network is. */
  readonly enter?: string | undefined;
  readonly attempt: number;
  /** Of a rank that is to be started: what it uses of its machine. */
  readonly place?: RankPlace | undefined;
  /** The run's secret, and the file in the folder that it is put into; needed to start alone. */
  readonly secret?: { readonly file: string; readonly text: string } | undefined;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: number | null;
  /** Unix seconds on the node's clock. */
  readonly t: number;
  /** The kernel said that it killed the process for want of memory. */
  readonly outOfMemory: boolean;
}

export type Sight =
  | { readonly state: 'alive'; readonly process: StartedProcess }
  | { readonly state: 'exited'; readonly exit: Exit; readonly process: StartedProcess | undefined }
  /** Neither alive nor an exit: killed together with its launcher, or about to be written. */
  | { readonly state: 'vanished'; readonly process: StartedProcess }
  /** The node booted since it was started, and left no exit. */
  | { readonly state: 'rebooted'; readonly process: StartedProcess }
  /** Nothing of this attempt is there. */
  | { readonly state: 'absent' };

export interface Launcher {
  /**
   * Starts it so that it survives the connection and the app. Repeating it for the same attempt starts nothing. Rejects
   * with `gpu_in_use` where a rank of another run has its GPU.
   */
  start(order: LaunchOrder, signal?: AbortSignal): Promise<StartedProcess>;
  /** Signals exactly this process, never one that got its number since. True where it was there to signal. */
  signal(
    order: LaunchOrder,
    process: StartedProcess,
    name: 'TERM' | 'KILL',
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** All orders are of one node. As many sights, in the same order. */
  look(orders: readonly LaunchOrder[], signal?: AbortSignal): Promise<Sight[]>;
}
