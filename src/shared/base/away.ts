/** Which errors say that a machine cannot be reached now, so that trying again later makes sense. */
import type { WireError } from './errors.ts';

const awayCodes: ReadonlySet<unknown> = new Set<WireError['code']>([
  'host_not_found',
  'host_unreachable',
  'host_refused',
  'handshake_timeout',
  'connection_lost',
  'connection_throttled',
  'login_cut',
  'login_timeout',
  'jump_failed',
  'cluster_unreachable',
]);
export const isAway = ({ code }: Pick<WireError, 'code'>): boolean => awayCodes.has(code);

/** The same, without jump hosts that answered and refused: `cause` has why a jump host failed to connect. */
export const mayBeBack = ({ code, params }: Pick<WireError, 'code' | 'params'>): boolean =>
  awayCodes.has(code) && (params.cause === undefined || awayCodes.has(params.cause));
