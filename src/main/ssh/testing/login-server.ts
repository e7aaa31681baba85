/**
 * For tests: an SSH server with login methods that sshd offers only with separate accounts: passwords, prompts,
 * several factors.
 */
import { once } from 'node:events';
import ssh2, {
  type AuthContext,
  type AuthenticationType,
  type Connection,
  type KeyboardAuthContext,
} from 'ssh2';
import { keyPair, type KeyPair } from './sshd.ts';

interface LoginAttempt {
  readonly method: AuthenticationType;
  readonly secret?: string;
}

export interface LoginServerOptions {
  readonly password?: string;
  /** Rounds of prompts with the expected answers. */
  readonly rounds?: readonly { prompts: { prompt: string; echo: boolean }[]; answers: string[] }[];
  /** The methods it offers. */
  readonly offers: readonly AuthenticationType[];
  /** Further methods required after a right password. */
  readonly then?: readonly AuthenticationType[];
  readonly hostKey?: KeyPair;
  /** Outside SSH, after the last right answer: on a phone. */
  readonly approved?: () => Promise<void>;
}

export interface LoginServer {
  readonly port: number;
  readonly hostKey: KeyPair;
  /** Every credential that arrived, without `none`. */
  readonly attempts: LoginAttempt[];
  connections(): number;
  /** Closes every connection, as sshd does after LoginGraceTime. Resolves when they are closed. */
  hangUp(): Promise<void>;
  stop(): Promise<void>;
}

export async function startLoginServer(options: LoginServerOptions): Promise<LoginServer> {
  const hostKey = options.hostKey ?? keyPair();
  const attempts: LoginAttempt[] = [];
  const open = new Set<Connection>();
  let connections = 0;
  const refuse = (context: AuthContext): void => context.reject([...options.offers]);

  const askRounds = (context: KeyboardAuthContext): void => {
    // As sshd without PAM: it offers the method and has nothing to ask by.
    if (options.rounds === undefined) {
      refuse(context);
      return;
    }
    const rounds = [...options.rounds];
    const next = (): void => {
      const round = rounds.shift();
      if (round === undefined) {
        void (options.approved?.() ?? Promise.resolve()).then(() => context.accept());
        return;
      }
      context.prompt(round.prompts, 'Login', 'Answer, please', (answers) => {
        attempts.push({ method: 'keyboard-interactive', secret: answers.join('|') });
        if (answers.join('|') === round.answers.join('|')) next();
        else refuse(context);
      });
    };
    next();
  };
  const authenticate = (context: AuthContext): void => {
    if (context.method === 'password') {
      attempts.push({ method: 'password', secret: context.password });
      if (!options.offers.includes('password') || context.password !== options.password) refuse(context);
      else if (options.then !== undefined) context.reject([...options.then], true);
      else context.accept();
    } else if (context.method === 'keyboard-interactive') askRounds(context);
    else {
      if (context.method !== 'none') attempts.push({ method: context.method });
      refuse(context);
    }
  };

  const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (connection) => {
    connections += 1;
    open.add(connection);
    connection.on('error', () => undefined);
    connection.on('close', () => open.delete(connection));
    connection.on('authentication', authenticate);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    hostKey,
    attempts,
    connections: () => connections,
    async hangUp() {
      await Promise.all(
        [...open].map((connection) => {
          const closed = once(connection, 'close');
          connection.end();
          return closed;
        }),
      );
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const connection of open) connection.end();
      await closed;
    },
  };
}
