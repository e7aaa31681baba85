/** Expands what may be in the path of an `IdentityFile` or `IdentityAgent`: `%h`, `%r`, `${HOME}`, …, as `man ssh_config`, TOKENS, says. */
import { hostname, userInfo } from 'node:os';

export interface KeyPathOf {
  /** This user's home folder here. */
  readonly home: string;
  /** As it was asked for, and as `HostName` says. */
  readonly alias: string;
  readonly host: string;
  readonly port: string;
  readonly user: string;
}

/** undefined where OpenSSH refuses it: an unknown token, a variable that is not set. */
export function expandKeyPath(
  path: string,
  { home, alias, host, port, user }: KeyPathOf,
): string | undefined {
  const tokens: Readonly<Record<string, string>> = {
    '%': '%',
    d: home,
    h: host,
    k: alias,
    L: hostname().replace(/\..*$/, ''),
    l: hostname(),
    n: alias,
    p: port,
    r: user,
    u: userInfo().username,
  };
  const unknown: string[] = [];
  const expanded = path.replaceAll(
    /%(.?)|\$\{([^}]*)\}/g,
    (written, token: string | undefined, variable: string | undefined) => {
      const value = variable === undefined ? tokens[token ?? ''] : process.env[variable];
      if (value === undefined) unknown.push(written);
      return value ?? '';
    },
  );
  return unknown.length === 0 ? expanded : undefined;
}
