/**
 * Algorithms that are broken or nearly so. None is offered by default; where a server has nothing better, the user
 * may allow the needed ones for that host only. Permissions are in this computer's trust store.
 */
import type { Algorithms, KexAlgorithm, CipherAlgorithm, MacAlgorithm, ServerHostKeyAlgorithm } from 'ssh2';
import type { Phrase } from '../../../shared/base/phrase.ts';
import type { RinglabError } from '../../../shared/base/errors.ts';
import type { ServerOffer } from './server-offer.ts';
import { phrase } from '../../i18n/index.ts';

const weakLists = {
  kex: [
    'diffie-hellman-group-exchange-sha1',
    'diffie-hellman-group14-sha1',
    'diffie-hellman-group1-sha1',
  ] satisfies KexAlgorithm[],
  serverHostKey: ['ssh-rsa'] satisfies ServerHostKeyAlgorithm[],
  cipher: ['aes256-cbc', 'aes192-cbc', 'aes128-cbc', '3des-cbc'] satisfies CipherAlgorithm[],
  hmac: ['hmac-sha1-etm@openssh.com', 'hmac-sha1'] satisfies MacAlgorithm[],
} as const;
type Kind = keyof typeof weakLists;
const kinds: readonly Kind[] = ['kex', 'serverHostKey', 'cipher', 'hmac'];

export interface WeakAlgorithm {
  readonly name: string;
  readonly why: Phrase;
}

/** For a user's RSA key: a separate permission from the host key's of the same name. */
export const weakUserSignature: WeakAlgorithm = { name: 'ssh-rsa (user)', why: phrase('weak.userSignature') };

/** Closes a connection that needs weak algorithms; the next may ask for permission. */
export class WeakAlgorithmsNeeded extends Error {
  readonly algorithms: readonly WeakAlgorithm[];
  /** The error where the user refuses. */
  readonly refused: RinglabError;

  constructor(algorithms: readonly WeakAlgorithm[], refused: RinglabError) {
    super(refused.message);
    this.algorithms = algorithms;
    this.refused = refused;
  }
}

/** Appends the allowed ones, so that better ones are preferred. */
export function withAllowed<O extends Algorithms & { serverHostKey: ServerHostKeyAlgorithm[] }>(
  offer: O,
  allowed: readonly string[],
): O {
  const made = { ...offer };
  for (const kind of kinds) {
    const more = weakLists[kind].filter((name) => allowed.includes(name));
    if (more.length > 0) Object.assign(made, { [kind]: [...(offer[kind] as readonly string[]), ...more] });
  }
  return made;
}

/** The algorithms to allow so that there is one of each kind; undefined where that is impossible. */
export function weakNeeded(ours: Algorithms, theirs: ServerOffer): WeakAlgorithm[] | undefined {
  const needed: WeakAlgorithm[] = [];
  for (const kind of kinds) {
    const offered = ours[kind];
    if (Array.isArray(offered) && offered.some((name) => theirs[kind].includes(name))) continue;
    const common = weakLists[kind].filter((name) => theirs[kind].includes(name));
    const best = common[0];
    if (best === undefined) return undefined;
    needed.push({ name: best, why: phrase(`weak.${kind}`) });
  }
  return needed.length === 0 ? undefined : needed;
}
