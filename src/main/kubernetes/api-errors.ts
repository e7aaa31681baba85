/** Makes of what the API server, the network or the kubeconfig say an error that says what to do. Pure. */
import { RinglabError } from '../../shared/base/errors.ts';
import type { Phrase } from '../../shared/base/phrase.ts';
import { phrase } from '../i18n/index.ts';
import { reasonOf } from '../base/reason.ts';
import { Status } from './objects.ts';

interface Asked {
  /** For messages: the context. */
  readonly cluster: string;
  readonly namespace: string;
}

/** Statuses of a server, or of a proxy before it, that is not able to answer at present. */
const isAway = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** @param body what was answered, parsed or as text */
export function refusal(status: number, body: unknown, { cluster, namespace }: Asked): RinglabError {
  const { data } = Status.safeParse(body);
  const said = data?.message || (typeof body === 'string' ? body.trim().slice(0, 500) : '');
  const reason = said === '' ? `HTTP ${status}` : said;
  const where = { where: cluster, detail: `HTTP ${status} ${reason}` };
  if (status === 401) return new RinglabError('cluster_login', { cluster, reason }, where);
  // Quotas and the Pod Security Standards answer 403, too: that is no matter of rights.
  if (status === 403 && /\bcannot\b/.test(said))
    return new RinglabError('cluster_forbidden', { cluster, namespace, reason }, where);
  if (isAway(status)) return new RinglabError('cluster_unreachable', { cluster, reason }, where);
  return new RinglabError('pods_refused', { cluster, namespace, reason }, where);
}

function messageOf(error: unknown): Phrase | string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  // Node's word for an answer whose connection was reset.
  if (error instanceof Error && error.message === 'aborted') return phrase('reasons.kubernetes.cutOff');
  const reason = error instanceof Error && error.message === '' ? error.name : reasonOf(error);
  return typeof reason === 'string' ? reason.slice(0, 500) : reason;
}

/** The connection failed before there was an answer. */
export function unreachable(error: unknown, cluster: string): RinglabError {
  if (error instanceof RinglabError) return error;
  return new RinglabError(
    'cluster_unreachable',
    { cluster, reason: messageOf(error) },
    { where: cluster, cause: error },
  );
}

/**
 * The kubeconfig's program or provider gave no credentials.
 * @param reason where it is known better than the error says it
 */
export const noCredentials = (
  error: unknown,
  cluster: string,
  reason: Phrase | string = messageOf(error),
): RinglabError => new RinglabError('cluster_login', { cluster, reason }, { where: cluster, cause: error });
