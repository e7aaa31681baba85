/**
 * Reads hosts of the user's `~/.ssh/config`, resolved by OpenSSH itself (`ssh -G`), so that wildcards, `Host *`,
 * negation, Include and ProxyJump have their exact meaning. OpenSSH gets copies of the files with harmless keywords
 * only (config-lines.ts), since `Match … exec` and the like would run programs; without circular Includes, and
 * converted to UTF-8.
 */
import { execFile } from 'node:child_process';
import { glob, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { droppedLogin, harmlessLine, harmlessMatch, isKept, readConfigLine } from './config-lines.ts';
import { flatten, resolveAlone } from './config-without-openssh.ts';
import { hostOf, type Resolve } from './host-of.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { phrase } from '../../i18n/index.ts';
import { ConfigHost, type ConfigWarning } from '../../../shared/lab/ssh-config.ts';

const execute = promisify(execFile);
const largest = 4 * 1024 * 1024;
/** Maximum Include depth, as in OpenSSH. */
const deepest = 16;
const maxFiles = 500;
/** Maximum number of hosts in one import. */
const maxHosts = 2000;
/** Maximum number of concurrent `ssh -G` processes. */
const atOnce = 8;

export interface ClientConfigOptions {
  /** The user's home folder. */
  readonly home: string;
  /** The agent's socket, undefined without an agent. */
  readonly agent: string | undefined;
  /** The agent's public keys; none where it does not answer. By default none. */
  readonly keysOf?: (agent: string) => Promise<readonly Buffer[]>;
  readonly program?: string;
  readonly systemConfig?: string;
}

export interface ClientConfig {
  readonly hosts: ConfigHost[];
  readonly warnings: ConfigWarning[];
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** UTF-16 as some Windows editors write it, UTF-8 with or without a byte order mark. */
function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
}

interface Copying {
  readonly home: string;
  readonly folder: string;
  readonly aliases: Set<string>;
  readonly warnings: ConfigWarning[];
  files: number;
}

/**
 * Writes a harmless copy of a file and of everything it includes; returns its path, undefined where the file does not
 * exist.
 */
async function copy(
  path: string,
  base: string,
  above: readonly string[],
  all: Copying,
): Promise<string | undefined> {
  if (above.includes(path)) {
    all.warnings.push({ kind: 'include_cycle', file: path });
    return undefined;
  }
  if (above.length >= deepest || all.files >= maxFiles) {
    all.warnings.push({ kind: 'too_deep', file: path });
    return undefined;
  }
  let text: string;
  try {
    const found = await stat(path);
    // Reading a FIFO or a device would never end.
    if (!found.isFile() || found.size > largest) throw new Error('not a file of this size');
    text = decode(await readFile(path));
  } catch (error) {
    if (!isMissing(error)) all.warnings.push({ kind: 'unreadable', file: path });
    return undefined;
  }
  all.files += 1;
  const target = join(all.folder, `config-${all.files}`);
  const lines: string[] = [];
  let skipping = false;
  for (const raw of text.split(/\r\n|\n|\r/)) {
    const line = readConfigLine(raw);
    if (line === undefined) {
      // What follows an invalid `Host` or `Match` is skipped.
      if (/host|match/i.test(raw)) skipping = true;
      all.warnings.push({ kind: 'unreadable_line', file: path });
      continue;
    }
    const { keyword, words } = line;
    let harmless: string | undefined;
    if (keyword === 'host' || keyword === 'match') {
      harmless = keyword === 'host' ? harmlessLine(line) : harmlessMatch(line);
      skipping = harmless === undefined;
      if (skipping)
        all.warnings.push({ kind: keyword === 'host' ? 'unreadable_line' : 'match_exec', file: path });
      else if (keyword === 'host') for (const word of words) if (!/[*?!]/.test(word)) all.aliases.add(word);
    }
    if (skipping) continue;
    const dropped = droppedLogin(line);
    if (dropped !== undefined) all.warnings.push({ kind: dropped, file: path });
    harmless ??= harmlessLine(line);
    if (harmless !== undefined) lines.push(harmless);
    else if (isKept(keyword)) all.warnings.push({ kind: 'unreadable_line', file: path });
    if (keyword !== 'include') continue;
    const included: string[] = [];
    for (const word of words) {
      for await (const file of files(word, base, all.home)) {
        const made = await copy(file, base, [...above, path], all);
        if (made !== undefined) included.push(made);
      }
    }
    if (included.length > 0) lines.push(`include ${included.map((one) => `"${one}"`).join(' ')}`);
  }
  await writeFile(target, `${lines.join('\n')}\n`, { mode: 0o600 });
  return target;
}

async function* files(pattern: string, base: string, home: string): AsyncGenerator<string> {
  const whole = pattern.startsWith('~/') ? join(home, pattern.slice(2)) : pattern;
  const path = isAbsolute(whole) ? whole : join(base, whole);
  if (!/[*?[]/.test(path)) {
    yield path;
    return;
  }
  const found: string[] = [];
  // In OpenSSH's patterns `**` equals `*`: never searches a whole file system.
  for await (const one of glob(path.replaceAll(/\*+/g, '*'))) {
    found.push(one);
    if (found.length >= maxFiles) break;
  }
  yield* found.sort();
}

async function askOpenSsh(program: string, config: string, alias: string): Promise<Map<string, string[]>> {
  const { stdout } = await execute(program, ['-G', '-F', config, '--', alias], {
    timeout: 10_000,
    maxBuffer: 1024 * 1024,
  });
  const found = new Map<string, string[]>();
  for (const line of stdout.split('\n')) {
    const at = line.indexOf(' ');
    if (at > 0) found.set(line.slice(0, at), [...(found.get(line.slice(0, at)) ?? []), line.slice(at + 1)]);
  }
  return found;
}

/** Uses OpenSSH; without it an approximation. */
async function resolver(program: string, config: string, warnings: ConfigWarning[]): Promise<Resolve> {
  const isThere = await execute(program, ['-V']).then(
    () => true,
    (error: unknown) => !isMissing(error),
  );
  if (isThere) return (alias) => askOpenSsh(program, config, alias);
  warnings.push({ kind: 'without_openssh', file: program });
  const text = await flatten(config);
  return (alias) => Promise.resolve(resolveAlone(text, alias));
}

/** The hosts in the user's configuration. Throws `file_unreadable` where there is none. */
export async function readClientConfig(options: ClientConfigOptions): Promise<ClientConfig> {
  const { home, agent, program = 'ssh', systemConfig = '/etc/ssh/ssh_config' } = options;
  const { keysOf = () => Promise.resolve([]) } = options;
  const own = join(home, '.ssh', 'config');
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-ssh-'));
  try {
    await mkdir(folder, { recursive: true });
    const all: Copying = { home, folder, aliases: new Set(), warnings: [], files: 0 };
    const mine = await copy(own, dirname(own), [], all);
    if (mine === undefined) {
      throw new RinglabError('file_unreadable', {
        path: own,
        reason: phrase(all.warnings.length > 0 ? 'reasons.ownFile.unusable' : 'reasons.ownFile.absent'),
      });
    }
    const names = [...all.aliases].slice(0, maxHosts);
    const system = await copy(systemConfig, dirname(systemConfig), [], all);
    const config = join(folder, 'config');
    await writeFile(
      config,
      [mine, system].flatMap((one) => (one === undefined ? [] : [`Match all\nInclude "${one}"\n`])).join(''),
    );
    const resolve = await resolver(program, config, all.warnings);
    const hosts: ConfigHost[] = [];
    const keys = new Map<string, Promise<readonly Buffer[]>>();
    const inAgent = (socket: string): Promise<readonly Buffer[]> => {
      const found = keys.get(socket) ?? keysOf(socket);
      keys.set(socket, found);
      return found;
    };
    const { warnings } = all;
    const left = [...names];
    const work = async (): Promise<void> => {
      for (let alias = left.shift(); alias !== undefined; alias = left.shift()) {
        try {
          const resolved = await resolve(alias);
          const host = await hostOf(resolve, resolved, alias, { home, agent, inAgent, warnings });
          hosts.push(ConfigHost.parse(host));
        } catch {
          // OpenSSH refuses such a name, or a lab cannot contain it; the other hosts are not affected.
          all.warnings.push({ kind: 'refused', file: alias });
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const order = new Map(names.map((name, index) => [name, index]));
    return {
      hosts: hosts.toSorted((a, b) => (order.get(a.alias) ?? 0) - (order.get(b.alias) ?? 0)),
      warnings: [...new Map(all.warnings.map((one) => [`${one.kind} ${one.file}`, one])).values()],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
