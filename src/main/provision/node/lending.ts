/**
 * Lends this computer's internet connection to a node: an HTTP proxy behind a port of the node's loopback, open and
 * known only while one command runs. Nothing is stored on the node.
 */
import type { Line } from '../../../shared/base/phrase.ts';
import type { Lent } from '../../../shared/node/provision.ts';
import type { SshSession } from '../../ssh/index.ts';
import { createHttpProxy, type HttpProxyOptions } from '../../transfer/index.ts';

interface Loan {
  /** Contains its password: never in a log, nor on a command line. */
  readonly address: string;
  /** Reasons why addresses could not be reached from here. */
  problems(): readonly Line[];
  close(): Promise<void>;
}

export interface Lending {
  /** @throws lending_refused, forwarding_refused, connection_lost */
  open(session: SshSession): Promise<Loan>;
}

export interface LendingOptions {
  /** Total of earlier commands. */
  readonly from: Lent | undefined;
  /** Called with the total so far, over all commands. */
  readonly onChange: (lent: Lent) => void;
  /** Rejects where the user does not allow this machine to use the connection. */
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

/** Scripts are sent over standard input: the address is in no process list. Errors quote only a script's first line. */
export const through = (address: string | undefined, script: string): string =>
  address === undefined
    ? script
    : `# through the lent connection\nhttp_proxy='${address}'\n${assignments}\n${script}`;

/** For a script that is an argument of sudo, and therefore visible: the address is the last line of its input. */
export const throughInput = (script: string): string =>
  `while IFS= read -r http_proxy_line; do http_proxy=$http_proxy_line; done
${assignments}
unset http_proxy_line
${script}`;
