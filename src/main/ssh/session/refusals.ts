/** Failures that the user must fix before a retry makes sense. */
import { RinglabError, type ErrorCode } from '../../../shared/base/errors.ts';

const refusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'host_key_unknown',
  'host_key_changed',
  'host_key_revoked',
  'known_hosts_unreadable',
  'auth_failed',
  'auth_no_method',
  'auth_too_many',
  'agent_missing',
  'agent_silent',
  'agent_empty',
  'host_certificate_invalid',
  'key_unreadable',
  'key_passphrase',
  'no_common_algorithm',
  'prompt_unanswered',
  'node_nonsense',
]);

/** Whether the machine refused, as opposed to being unreachable. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof RinglabError &&
  (refusals.has(error.code) || (error.code === 'jump_failed' && isRefusal(error.cause)));
