/** One host of the user's SSH configuration as a node: its address, its login and its jump hosts. */
import { join } from 'node:path';
import { jumpHosts, maxJumpHosts, type Authentication, type JumpHost } from '../../../shared/lab/access.ts';
import type { ConfigHost, ConfigWarning } from '../../../shared/lab/ssh-config.ts';
import { unusedProxy } from './config-lines.ts';
import { keyFileAt, publicKeyAt } from './identity-file.ts';
import { agentOf } from './identity-agent.ts';
import { expandJump } from './jump-tokens.ts';
import { expandKeyPath } from './key-path.ts';

const tooMany = (): RangeError => new RangeError(`more than ${maxJumpHosts} jump hosts`);

/** One of the files that OpenSSH tries where none is named; the user may have written it, too. */
const isDefault = (name: string): boolean =>
  /^~\/\.ssh\/id_(?:rsa|dsa|xmss|(?:ecdsa|ed25519)(?:_sk)?)$/.test(name);

/** Resolves a host name to `ssh -G`'s keywords, with several values where a keyword may be repeated. */
export type Resolve = (alias: string) => Promise<Map<string, string[]>>;

interface HostOptions {
  /** The user's home folder. */
  readonly home: string;
  /** The socket of the user's agent, undefined without an agent. */
  readonly agent: string | undefined;
  /** An agent's public keys; none where it does not answer. */
  readonly inAgent: (socket: string) => Promise<readonly Buffer[]>;
  /** What is left out is added here. */
  readonly warnings: ConfigWarning[];
}

/** How a host of the configuration is reached, with its jump hosts. Rejects where `resolve` does. */
export async function hostOf(
  resolve: Resolve,
  resolved: Map<string, string[]>,
  alias: string,
  { home, agent: usual, inAgent, warnings }: HostOptions,
): Promise<ConfigHost> {
  const warnOfProxy = (words: Map<string, string[]>, called: string): void => {
    if (words.get('proxycommand')?.[0] === unusedProxy)
      warnings.push({ kind: 'proxy_command', file: called });
  };
  warnOfProxy(resolved, alias);
  const of = (name: string): string => resolved.get(name)?.[0] ?? '';
  const login = async (words: Map<string, string[]>, called: string): Promise<Authentication> => {
    const [host = called, port = '22', user = ''] = ['hostname', 'port', 'user'].map(
      (keyword) => words.get(keyword)?.[0],
    );
    const of = { home, alias: called, host, port, user };
    const agent = agentOf(words.get('identityagent')?.[0], usual, of);
    const files: { readonly name: string; readonly path: string }[] = [];
    for (const written of words.get('identityfile') ?? []) {
      const name = expandKeyPath(written, of);
      if (name === undefined) continue;
      const path = name.startsWith('~/') ? join(home, name.slice(2)) : name;
      const found = await keyFileAt(path);
      if (found === 'private') files.push({ name, path });
      // The user names the one of the agent's keys that is meant.
      if (found === 'public' && agent !== undefined && files.length === 0) break;
    }
    const [first] = files;
    if (first === undefined) return agent?.authentication ?? { method: 'password' };
    // A single file that the user names is meant. Of OpenSSH's own, and of several, it is not known which: ssh tries
    // the agent's keys, then each file.
    if (files.length === 1 && !isDefault(first.name)) return { method: 'key', keyFile: first.name };
    const held = agent === undefined ? [] : await inAgent(agent.socket);
    for (const { path } of held.length === 0 ? [] : files) {
      const key = await publicKeyAt(path);
      if (agent !== undefined && key !== undefined && held.some((one) => one.equals(key)))
        return agent.authentication;
    }
    if (files.length > 1 || held.length > 0) warnings.push({ kind: 'several_keys', file: first.name });
    return { method: 'key', keyFile: first.name };
  };
  const host = {
    alias,
    host: of('hostname'),
    port: Number(of('port')) || 22,
    user: of('user'),
    authentication: await login(resolved, alias),
  };
  /** @param words of the host that is reached through it, called so */
  const through = async (
    words: Map<string, string[]>,
    called: string,
    passed: readonly string[],
  ): Promise<JumpHost | undefined> => {
    const spec = expandJump(words, called);
    const jumps = spec.split(',').filter((one) => one !== '' && one !== 'none');
    let hop: JumpHost | undefined;
    for (const [index, one] of jumps.entries()) {
      hop = await hopOf(one, index === 0, hop, passed);
      if (hop === undefined) return undefined;
    }
    return hop;
  };
  /** As in OpenSSH, only the first hop's own ProxyJump is followed. */
  const hopOf = async (
    spec: string,
    isFirst: boolean,
    before: JumpHost | undefined,
    passed: readonly string[],
  ): Promise<JumpHost | undefined> => {
    const [, user, name = '', port] =
      /^(?:ssh:\/\/)?(?:(.+)@)?\[?([^\]]+?)\]?(?::(\d+))?\/?$/.exec(spec) ?? [];
    // A circular ProxyJump is ignored.
    if (passed.includes(name)) return undefined;
    // `ProxyJump x%n` for all hosts names a new one each time.
    if (passed.length > maxJumpHosts) throw tooMany();
    const words = await resolve(name);
    // That of a further hop does not count: it is reached through the one before.
    if (isFirst) warnOfProxy(words, name);
    const jump = isFirst ? await through(words, name, [...passed, name]) : before;
    return {
      host: words.get('hostname')?.[0] ?? name,
      port: Number(port ?? words.get('port')?.[0]) || 22,
      user: user ?? words.get('user')?.[0] ?? '',
      authentication: await login(words, name),
      ...(jump === undefined ? {} : { jump }),
    };
  };
  const jump = await through(resolved, alias, [alias]);
  // One ProxyJump may name any number of them.
  if (jumpHosts<JumpHost>({ jump }).length > maxJumpHosts) throw tooMany();
  return jump === undefined ? host : { ...host, jump };
}
