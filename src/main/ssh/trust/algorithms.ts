/** What we offer in the key exchange, and the other side's lists where the two have nothing in common. */
import type { Duplex } from 'node:stream';
import type { Algorithms, ServerHostKeyAlgorithm } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import { withAllowed } from './weak-algorithms.ts';

const hostKeyAlgorithms: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/** One RSA key signs under two names; a third, with SHA-1, is offered only where the user allowed it. */
const algorithmsOf = (keyType: string): readonly string[] =>
  keyType === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [keyType];

export const ourAlgorithms = {
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
    // Last: ssh2 stalls when keys are exchanged anew in this way.
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
 * A key type that is already known comes first: a server with several keys then shows the one that can be checked.
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

export interface ServerOffer {
  readonly kex: readonly string[];
  readonly serverHostKey: readonly string[];
  readonly cipher: readonly string[];
  readonly hmac: readonly string[];
  readonly compress: readonly string[];
}

const mostBytes = 128 * 1024;
const kexInit = 20;

/** The lists of a KEXINIT packet at the start of `bytes`; undefined while it is not whole (RFC 4253, 6 and 7.1). */
export function parseServerOffer(bytes: Buffer): ServerOffer | undefined {
  // Lines may come before the identification.
  const start = bytes.indexOf('SSH-2.0-') === 0 ? 0 : bytes.indexOf('\nSSH-2.0-') + 1;
  if (start === 0 && bytes.indexOf('SSH-2.0-') !== 0) return undefined;
  const end = bytes.indexOf('\n', start);
  if (end === -1 || bytes.length < end + 6) return undefined;
  const packet = bytes.subarray(end + 1);
  const length = packet.readUInt32BE(0);
  if (length > mostBytes || packet.length < 4 + length || packet[5] !== kexInit) return undefined;
  let at = 6 + 16;
  const list = (): string[] => {
    const size = packet.readUInt32BE(at);
    const names = packet.toString('latin1', at + 4, at + 4 + size);
    at += 4 + size;
    // They are shown in messages: what is no name (RFC 4250, 4.6.1) is left out.
    return names.split(',').filter((name) => /^[\x21-\x7e]{1,64}$/.test(name));
  };
  const [kex, serverHostKey, cipher] = [list(), list(), list()];
  list();
  const hmac = list();
  list();
  return { kex, serverHostKey, cipher, hmac, compress: list() };
}

/** Reads what a server offers, without logging in; undefined where it does not say so in time. */
export function readServerOffer(socket: Duplex, timeoutMs: number): Promise<ServerOffer | undefined> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const done = (offer: ServerOffer | undefined): void => {
      clearTimeout(timer);
      resolve(offer);
      socket.destroy();
    };
    const timer = setTimeout(() => done(undefined), timeoutMs);
    socket.on('error', () => done(undefined));
    socket.on('close', () => done(undefined));
    socket.on('data', (data: Buffer) => {
      bytes = Buffer.concat([bytes, data]);
      let offer: ServerOffer | undefined;
      try {
        offer = parseServerOffer(bytes);
      } catch {
        done(undefined);
        return;
      }
      if (offer !== undefined || bytes.length > mostBytes) done(offer);
    });
    socket.write('SSH-2.0-ringlab\r\n');
  });
}

const kinds: readonly (readonly [RegExp, keyof ServerOffer, string])[] = [
  [/key exchange/, 'kex', 'key exchange'],
  [/host key/, 'serverHostKey', 'host key algorithm'],
  [/cipher/, 'cipher', 'cipher'],
  [/MAC/, 'hmac', 'MAC'],
  [/compression/, 'compress', 'compression'],
];

/** @param message ssh2's own words: 'Handshake failed: no matching …' */
export function noCommonAlgorithm(
  host: string,
  message: string,
  ours: Algorithms,
  theirs: ServerOffer | undefined,
): RinglabError {
  const [, list, kind] = kinds.find(([pattern]) => pattern.test(message)) ?? [
    /./,
    'kex' as const,
    'algorithm',
  ];
  const offered = ours[list];
  return new RinglabError(
    'no_common_algorithm',
    {
      host,
      kind,
      theirs: theirs?.[list].join(', ') ?? '?',
      ours: Array.isArray(offered) ? offered.join(', ') : '?',
    },
    { detail: message },
  );
}
