/** The context in which a connection's commands run. */
import type { Client } from 'ssh2';
import type { ChannelGate } from './channel-gate.ts';

export interface Shell {
  readonly client: Client;
  readonly host: string;
  readonly user: string;
  readonly gate: ChannelGate;
}
