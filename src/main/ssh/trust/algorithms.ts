/** The algorithms offered in the key exchange, and the error where a server has none in common. */
import type { Algorithms, ServerHostKeyAlgorithm } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import { phrase } from '../../i18n/index.ts';
import type { ServerOffer } from './server-offer.ts';
import { withAllowed } from './weak-algorithms.ts';

const hostKeyAlgorithms: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/** One RSA key signs under two names; a third, with SHA-1, is offered only with the user's permission. */
const algorithmsOf = (keyType: string): readonly string[] =>
  keyType === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [keyType];

const ourAlgorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group14-sha256',
    'diffie-hellman-group15-sha512',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group17-sha512',
    'diffie-hellman-group18-sha512',
    // Last: ssh2 stalls when keys are exchanged again with it.
    'diffie-hellman-group-exchange-sha256',
  ],
  cipher: [
    'aes128-gcm@openssh.com',
    'aes256-gcm@openssh.com',
    'aes128-ctr',
    'aes192-ctr',
    'aes256-ctr',
    'chacha20-poly1305@openssh.com',
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
} satisfies Algorithms;

/**
 * Known key types come first, so that a server with several keys sends one that can be verified.
 * @param allowedWeak names that the user allowed for this host
 */
export function offerFor(
  knownTypes: readonly string[],
  allowedWeak: readonly string[] = [],
): Algorithms & {
  serverHostKey: ServerHostKeyAlgorithm[];
} {
  const known = new Set(knownTypes.flatMap(algorithmsOf));
  const rank = (algorithm: string): number => (known.has(algorithm) ? 0 : 1);
  const strong = {
    ...ourAlgorithms,
    serverHostKey: [...hostKeyAlgorithms].sort((a, b) => rank(a) - rank(b)),
  };
  return withAllowed(strong, allowedWeak);
}

const lists: readonly (readonly [RegExp, keyof ServerOffer])[] = [
  [/key exchange/, 'kex'],
  [/host key/, 'serverHostKey'],
  [/cipher/, 'cipher'],
  [/MAC/, 'hmac'],
  [/compression/, 'compress'],
];

/** @param message ssh2's message: 'Handshake failed: no matching …' */
export function noCommonAlgorithm(
  host: string,
  message: string,
  ours: Algorithms,
  theirs: ServerOffer | undefined,
): RinglabError {
  const [, list] = lists.find(([pattern]) => pattern.test(message)) ?? [/./, 'kex' as const];
  const offered = ours[list];
  return new RinglabError(
    'no_common_algorithm',
    {
      host,
      kind: phrase(`reasons.algorithm.${list}`),
      theirs: theirs?.[list].join(', ') ?? '?',
      ours: Array.isArray(offered) ? offered.join(', ') : '?',
    },
    { detail: message },
  );
}
