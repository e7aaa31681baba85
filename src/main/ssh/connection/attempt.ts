/** One attempt to connect to a host: what it is given, and how long its parts may take. */
import type { Duplex } from 'node:stream';
import type { SshHop } from '../contract.ts';
import type { HostKnowledge, HostTrust } from '../trust/host-trust.ts';
import type { Asker, Login, LoginServices } from '../login/login.ts';

export interface SshTiming {
  /** For the TCP handshake, ms. */
  readonly connectMs: number;
  /** From the TCP connection to the login, ms; the time a user needs to answer is not counted. */
  readonly handshakeMs: number;
  /** Between two signs of life, ms. */
  readonly keepaliveMs: number;
  /** Unanswered signs of life before the connection is given up. */
  readonly keepaliveMissed: number;
}

/** A pulled cable is noticed after `keepaliveMs · (keepaliveMissed + 1)`: 40 s. */
export const defaultTiming: SshTiming = {
  connectMs: 15_000,
  handshakeMs: 15_000,
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
