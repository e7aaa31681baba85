/** Terminals of a server that allows a single channel: commands need it, so that each terminal gets its own connection. */
import type { Client } from 'ssh2';
import type { SshSession, SshTerminal, TerminalOptions } from '../contract.ts';

/** One more connection to the same machine, logged in. */
export interface OwnConnection {
  readonly session: Pick<SshSession, 'terminal'>;
  readonly client: Client;
}

/**
 * The connection ends with the terminal, and with the session that it belongs to.
 * @param end closes a connection
 */
export async function openOwnTerminal(
  options: TerminalOptions,
  connect: () => Promise<OwnConnection>,
  session: Promise<unknown>,
  end: (client: Client) => void,
): Promise<SshTerminal> {
  const own = await connect();
  const close = (): void => end(own.client);
  try {
    const terminal = await own.session.terminal(options);
    void Promise.race([terminal.ended, session]).then(close);
    return terminal;
  } catch (error) {
    close();
    throw error;
  }
}
