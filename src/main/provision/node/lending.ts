/**
 * This computer's internet connection, lent to a node that has none: an HTTP proxy of ours behind a port of the node's
 * loopback, open while one command runs and known to that command alone. Nothing of it is written to the node.
 */
import type { Lent } from '../../../shared/node/provision.ts';
import type { SshSession } from '../../ssh/index.ts';
import { createHttpProxy, type HttpProxyOptions } from '../../transfer/index.ts';

interface Loan {
  /** With its password: never in a log, nor on a command line. */
  readonly address: string;
  /** Why something was not reached from here. */
  problems(): readonly string[];
  close(): Promise<void>;
}

export interface Lending {
  /** @throws lending_refused, forwarding_refused, connection_lost */
  open(session: SshSession): Promise<Loan>;
}

export interface LendingOptions {
  /** What had crossed before. */
  readonly from: Lent | undefined;
  /** Called with what has crossed so far, over all commands. */
  readonly onChange: (lent: Lent) => void;
  /** Rejects where the user does not want this machine to use the connection. */
  readonly permit: (session: SshSession) => Promise<void>;
  readonly allows?: HttpProxyOptions['allows'];
}

export function createLending({ from, onChange, permit, allows }: LendingOptions): Lending {
  const total = { sent: from?.sent ?? 0, received: from?.received ?? 0 };
  let open = 0;
  const report = (now = { sent: 0, received: 0 }): void =>
    onChange({ open: open > 0, sent: total.sent + now.sent, received: total.received + now.received });
  return {
    async open(session) {
      await permit(session);
      const proxy = createHttpProxy({ onChange: report, ...(allows === undefined ? {} : { allows }) });
      const { port, close } = await session.listen((stream) => proxy.serve(stream));
      open += 1;
      report();
      return {
        address: `http://${proxy.login}@127.0.0.1:${port}`,
        problems: proxy.problems,
        async close() {
          await close();
          proxy.close();
          open -= 1;
          const { sent, received } = proxy.counts();
          total.sent += sent;
          total.received += received;
          report();
        },
      };
    },
  };
}

const assignments = `https_proxy=$http_proxy HTTP_PROXY=$http_proxy HTTPS_PROXY=$http_proxy
export http_proxy https_proxy HTTP_PROXY HTTPS_PROXY`;

/** Scripts reach the node over standard input: the address is in no process list. Errors quote a script's first line. */
export const through = (address: string | undefined, script: string): string =>
  address === undefined
    ? script
    : `# through the lent connection\nhttp_proxy='${address}'\n${assignments}\n${script}`;

/** For a script that is an argument of sudo, and so is seen by all: the address is the last line of its input. */
export const throughInput = (script: string): string =>
  `while IFS= read -r http_proxy_line; do http_proxy=$http_proxy_line; done
${assignments}
unset http_proxy_line
${script}`;
