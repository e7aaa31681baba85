/** Authentication of pages: sessions of this start, tickets of open tabs that survive a restart, and handshakes. */
import { createHmac, randomBytes } from 'node:crypto';
import {
  statement,
  type Handshake,
  type PageProof,
  type SessionKey,
} from '../../../shared/contract/web-session.ts';
import { sameText } from './codes.ts';
import type { TicketStore } from './tickets.ts';

/** Maximum number of tabs of one start; beyond it the oldest must be opened again. */
const maxSessions = 256;
const maxHandshakes = 256;
const handshakeMs = 15_000;

export interface Sessions {
  /** Starts a session after a valid code. */
  start(origin: string): SessionKey;
  /** The host's part of a handshake; undefined where the session is unknown. */
  challenge(session: string, origin: string, pageNonce: string): { nonce: string; proof: string } | undefined;
  /**
   * Verifies the page's part, once for each challenge; undefined where it is wrong.
   * @param hasCookie whether the browser sent this start's secret; not needed with a ticket of an earlier start
   */
  prove(proof: PageProof, origin: string, hasCookie: boolean): Proven | undefined;
}

interface Proven {
  /** Signs the host's first message. */
  readonly welcome: string;
  /** The page authenticated with a ticket, and needs no new one. */
  readonly byTicket: boolean;
}

interface Known {
  readonly key: string;
  readonly origin: string;
  readonly kind: 'start' | 'ticket' | 'file';
}

export const newSecret = (bytes: number): string => randomBytes(bytes).toString('base64url');
export const signStatement = (
  key: string,
  proof: 'host' | 'page' | 'welcome',
  handshake: Handshake,
): string => createHmac('sha256', key).update(statement(proof, handshake)).digest('base64url');

/**
 * The session with which the host proves its identity to `ringlab open`, with the host file's key; not valid for
 * pages.
 */
export const fileSession = 'host-file';

export function createSessions(
  fileKey: { readonly key: string; readonly origin: string },
  tickets: TicketStore,
  now: () => number = Date.now,
): Sessions {
  const started = new Map<string, Known>();
  const handshakes = new Map<string, Handshake & { readonly until: number }>();

  const find = (session: string, origin: string): Known | undefined => {
    const ticket = tickets.get(session);
    const known: Known | undefined =
      session === fileSession
        ? { ...fileKey, kind: 'file' }
        : ticket === undefined
          ? started.get(session)
          : { ...ticket, kind: 'ticket' };
    return known?.origin === origin ? known : undefined;
  };
  return {
    start(origin) {
      const fresh = { session: newSecret(16), key: newSecret(32) };
      if (started.size >= maxSessions) removeOldest(started);
      started.set(fresh.session, { key: fresh.key, origin, kind: 'start' });
      return fresh;
    },
    challenge(session, origin, pageNonce) {
      const known = find(session, origin);
      if (known === undefined) return undefined;
      const handshake = { origin, session, pageNonce, hostNonce: newSecret(24) };
      for (const [nonce, { until }] of handshakes) if (until < now()) handshakes.delete(nonce);
      if (known.kind !== 'file') {
        if (handshakes.size >= maxHandshakes) removeOldest(handshakes);
        handshakes.set(handshake.hostNonce, { ...handshake, until: now() + handshakeMs });
      }
      return { nonce: handshake.hostNonce, proof: signStatement(known.key, 'host', handshake) };
    },
    prove({ session, hostNonce, proof }, origin, hasCookie) {
      const handshake = handshakes.get(hostNonce);
      const known = find(session, origin);
      if (handshake === undefined || known === undefined) return undefined;
      if (handshake.session !== session || handshake.origin !== origin || handshake.until < now())
        return undefined;
      if (!sameText(proof, signStatement(known.key, 'page', handshake))) return undefined;
      handshakes.delete(hostNonce);
      if (known.kind === 'start' && !hasCookie) return undefined;
      if (known.kind === 'ticket') tickets.used(session);
      return { welcome: signStatement(known.key, 'welcome', handshake), byTicket: known.kind === 'ticket' };
    },
  };
}

const removeOldest = (map: Map<string, unknown>): void => {
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
};
