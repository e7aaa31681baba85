/** The options and time-outs of one attempt to connect to a host. */
import type { Duplex } from 'node:stream';
import type { SshHop } from '../contract.ts';
import type { HostKnowledge, HostTrust } from '../trust/host-trust.ts';
import type { Asker, Login, LoginServices } from '../login/login.ts';

export interface SshTiming {
  /** Time-out of the TCP handshake, ms. */
  readonly connectMs: number;
  /** Time-out from the TCP connection to the first attempt to log in, ms, without the time that the user needs to answer. */
  readonly handshakeMs: number;
  /**
   * The same for each method of the login, ms: outside Ringlab a user may have to approve it on a phone or touch a key. OpenSSH's
   * servers wait as long.
   */
  readonly loginMs: number;
  /** Interval of keep-alive messages, ms. */
  readonly keepaliveMs: number;
  /** Unanswered keep-alive messages before the connection is given up. */
  readonly keepaliveMissed: number;
}

/** A lost connection is detected after `keepaliveMs · (keepaliveMissed + 1)`: 40 s. */
export const defaultTiming: SshTiming = {
  connectMs: 15_000,
  handshakeMs: 15_000,
  loginMs: 120_000,
  keepaliveMs: 10_000,
  keepaliveMissed: 3,
};

export interface ConnectionServices extends LoginServices {
  readonly trust: HostTrust;
  readonly timing: SshTiming;
}

export interface Attempt {
  readonly hop: SshHop;
  readonly asker: Asker;
  readonly services: ConnectionServices;
  readonly signal: AbortSignal | undefined;
  readonly login: Login;
  readonly knowledge: HostKnowledge;
  readonly open: () => Promise<Duplex>;
}
