/**
 * Mutual authentication of a page in a browser and the web host, and what both sign.
 *
 * 1. The user opens an address with a one-time code in its fragment (`#code=`). The page exchanges the code
 *    (`sessionPaths.exchange`) for a session: a key for this tab and, as a cookie, the secret of this start.
 * 2. Before each connection the page requests a proof (`sessionPaths.challenge`): the host signs both nonces with the
 *    session's key. Only if it is valid does the page open the socket, with its own proof in the handshake.
 * 3. The host's first message (`Welcome`) is signed, too, and contains a ticket: another key, which the page keeps
 *    only in memory and the host in its data folder, so that an open tab can authenticate the app after a restart.
 *
 * Another program that takes over the port learns a session's name and a nonce, and can sign nothing.
 */
import * as z from 'zod';

export const sessionPaths = {
  exchange: '/session',
  challenge: '/session/challenge',
  socket: '/session/socket',
  download: '/session/download/',
} as const;

/** The WebSocket's subprotocol; beside it the page offers its proof (`proofProtocol`). */
export const socketProtocol = 'ringlab';
const proofPrefix = 'ringlab.proof.';

/** Only base64url characters: no name or nonce can contain a line break and shift the signed lines. */
const Word = z.string().regex(/^[\w-]{8,128}$/);

export const ExchangeRequest = z.object({
  code: z.string().min(1).max(256),
  /**
   * A secret of the tab. With it the tab can exchange its code again, where the answer did not arrive: the page was reloaded
   * meanwhile, or the connection was lost. Absent for a code that came in `Welcome`.
   */
  tab: Word.optional(),
});
export const SessionKey = z.object({ session: Word, key: Word });
export type SessionKey = z.infer<typeof SessionKey>;

export const ChallengeRequest = z.object({ session: Word, nonce: Word });
export const ChallengeAnswer = z.object({ nonce: Word, proof: Word });

export const Welcome = z.object({
  type: z.literal('welcome'),
  proof: Word,
  /** The key with which this page reconnects; absent where the page connected with one. */
  ticket: SessionKey.optional(),
  /** A code to exchange for a cookie, where the browser has none of this start. */
  code: z.string().max(256).optional(),
  /** The longest time without a message while the line is whole. Hosts of earlier versions have none. */
  silentMs: z.number().int().min(1000).max(3_600_000).optional(),
});
export type Welcome = z.infer<typeof Welcome>;

/** The data that a proof is bound to, so that it is invalid for another origin, session or handshake. */
export interface Handshake {
  /** The page's origin: `http://127.0.0.1:4711`. */
  readonly origin: string;
  readonly session: string;
  readonly pageNonce: string;
  readonly hostNonce: string;
}

/** The text that is signed (HMAC-SHA-256 with the session's key), one for each of the three proofs. */
export const statement = (
  proof: 'host' | 'page' | 'welcome',
  { origin, session, pageNonce, hostNonce }: Handshake,
): string => ['ringlab session', proof, origin, session, pageNonce, hostNonce].join('\n');

export interface PageProof {
  readonly session: string;
  readonly hostNonce: string;
  readonly proof: string;
}

export const proofProtocol = ({ session, hostNonce, proof }: PageProof): string =>
  `${proofPrefix}${session}.${hostNonce}.${proof}`;

/** The proof among the subprotocols that a page offers, or undefined. */
export function readProofProtocol(offered: readonly string[]): PageProof | undefined {
  const text = offered.find((one) => one.startsWith(proofPrefix))?.slice(proofPrefix.length);
  const [session, hostNonce, proof, ...rest] = text?.split('.') ?? [];
  const parsed = z
    .object({ session: Word, hostNonce: Word, proof: Word })
    .safeParse({ session, hostNonce, proof });
  return parsed.success && rest.length === 0 ? parsed.data : undefined;
}
