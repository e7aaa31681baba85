/**
 * Resolves hosts of an SSH configuration where OpenSSH is not installed: the npm package `ssh-config` matches the
 * patterns. Keywords are those of `ssh -G`, so that both results are parsed alike. `Match` is ignored, and so are
 * OpenSSH's built-in defaults except for key files.
 */
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import SSHConfig from 'ssh-config';

/** In OpenSSH's order. */
const defaultKeys = ['id_rsa', 'id_ecdsa', 'id_ed25519'].map((name) => `~/.ssh/${name}`);

/**
 * @param file a copy made by client-config.ts: each Include names another copy
 * @param around the line that begins the block in which the file is included
 */
export async function flatten(file: string, around = 'Host *'): Promise<string> {
  const lines: string[] = [];
  let block = around;
  let skipping = false;
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const keyword = /^\s*(\w+)/.exec(line)?.[1]?.toLowerCase();
    const isForAll = /^\s*match\s+all\s*$/i.test(line);
    if (keyword === 'host' || keyword === 'match') skipping = keyword === 'match' && !isForAll;
    if (skipping) continue;
    if (isForAll || keyword === 'host') {
      block = isForAll ? 'Host *' : line;
      lines.push(block);
      continue;
    }
    if (keyword !== 'include') lines.push(line);
    // A block of the included file ends with it.
    else
      for (const [, path = ''] of line.matchAll(/"([^"]+)"/g)) lines.push(await flatten(path, block), block);
  }
  return lines.join('\n');
}

export function resolveAlone(config: string, alias: string): Map<string, string[]> {
  const computed = SSHConfig.parse(config).compute(alias, { ignoreCase: true });
  const words = new Map(
    Object.entries(computed).map(([name, value]) => [name.toLowerCase(), [value].flat().map(unquoted)]),
  );
  const withHost = (text: string): string =>
    text.replace(/%([%h])/g, (_, sign: string) => (sign === 'h' ? alias : '%'));
  words.set('hostname', [withHost(words.get('hostname')?.[0] ?? alias)]);
  if (!words.has('user')) words.set('user', [userInfo().username]);
  if (!words.has('port')) words.set('port', ['22']);
  if (!words.has('identityfile')) words.set('identityfile', defaultKeys);
  return words;
}

const unquoted = (text: string): string => text.replace(/^"(.*)"$/, '$1');
