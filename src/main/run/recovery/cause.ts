/** Whether a restart can help after a failure, by its cause. Pure. */
import type { WireError } from '../../../shared/base/errors.ts';

export interface Failure {
  readonly error: WireError;
  /** The code of the trainer's own error line (native/PROTOCOL.md), where it wrote one. */
  readonly own?: string | undefined;
}

/**
 * `outside`: it came from outside the training (a killed process, a node or link that went away) and need not happen
 * again. `own`: the trainer failed by itself, perhaps by chance. `lasting`: it would fail in the same way until
 * somebody changes something.
 */
export type Cause = 'outside' | 'own' | 'lasting';

/** Signals that somebody sends; the others are a crash of the program itself. */
const sent: ReadonlySet<unknown> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGPIPE']);

const outside: ReadonlySet<WireError['code']> = new Set<WireError['code']>([
  'rank_lost',
  'run_interrupted',
  'peer_lost',
  'link_down',
  'address_changed',
  'pods_taken',
]);
const own: ReadonlySet<WireError['code']> = new Set<WireError['code']>([
  'rank_failed',
  'rank_out_of_memory',
  // In preparing the nodes again: what a node that has just restarted may answer for a while.
  'command_failed',
  'command_timeout',
  'transfer_failed',
  'download_failed',
  'channel_refused',
  'network_failed',
  'network_in_use',
  'no_free_port',
  'gpu_in_use',
  'rank_unreachable',
  'peer_unreachable',
  'tunnel_unreachable',
  'verification_failed',
]);

/** The trainer's error codes that depend on its options, its data or its disk. */
const lastingOfTrainer: ReadonlySet<string> = new Set([
  'usage',
  'backend_missing',
  'peer_disagrees',
  'bad_data',
  'checkpoint_mismatch',
  'diverged',
  'disk_full',
]);
/** The trainer's exit codes for bad usage and bad data. */
const lastingExits: ReadonlySet<unknown> = new Set([2, 3]);

/** @param isScript the exit codes of an own script mean nothing but success and failure */
export function causeOf({ error, own: said }: Failure, isScript: boolean): Cause {
  if (!isScript && said !== undefined && lastingOfTrainer.has(said)) return 'lasting';
  if (error.code === 'rank_killed') return sent.has(error.params.signal) ? 'outside' : 'own';
  if (error.code === 'rank_failed' && !isScript && lastingExits.has(error.params.code)) return 'lasting';
  if (outside.has(error.code)) return 'outside';
  return own.has(error.code) ? 'own' : 'lasting';
}
