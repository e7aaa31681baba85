/** Reads which other repositories a commit names as its submodules, and at which commit. */
import { git, type TreeEntry } from './git.ts';

export interface Submodule {
  /** In the repository. */
  readonly path: string;
  readonly commit: string;
  /** Undefined where the repository does not say it, or wants it left out (`update = none`). */
  readonly url: string | undefined;
}

export async function submodulesOf(
  repository: string,
  commit: string,
  entries: readonly TreeEntry[],
  url: string,
  signal: AbortSignal | undefined,
): Promise<Submodule[]> {
  const links = entries.filter(({ type }) => type === 'commit');
  if (links.length === 0) return [];
  const { stdout } = await git(
    repository,
    [
      'config',
      '--blob',
      `${commit}:.gitmodules`,
      '-z',
      '--get-regexp',
      '^submodule\\..*\\.(path|url|update)$',
    ],
    signal,
  );
  const named = new Map<string, Map<string, string>>();
  for (const line of stdout.split('\0')) {
    const [, name = '', key = '', value = ''] =
      /^submodule\.(.*)\.(path|url|update)\n(.*)$/su.exec(line) ?? [];
    if (name !== '') named.set(name, (named.get(name) ?? new Map<string, string>()).set(key, value));
  }
  return links.map(({ path, object }) => {
    const said = [...named.values()].find((one) => one.get('path') === path);
    const address = said?.get('update') === 'none' ? undefined : said?.get('url');
    return { path, commit: object, url: address === undefined ? undefined : absolute(address, url) };
  });
}

/** As git does: `../` leaves the last part of the address that names the repository itself. */
function absolute(address: string, parent: string): string {
  if (!/^\.\.?\//.test(address)) return address;
  let base = parent.replace(/\/+$/, '');
  let rest = address;
  let separator = '/';
  for (let step = /^(\.\.?)\/+/.exec(rest); step !== null; step = /^(\.\.?)\/+/.exec(rest)) {
    rest = rest.slice(step[0].length);
    if (step[1] === '.') continue;
    const at = Math.max(base.lastIndexOf('/'), base.lastIndexOf(':'));
    // `git@host:repository` has no slash.
    separator = base.charAt(at) === ':' ? ':' : '/';
    base = base.slice(0, Math.max(0, at));
  }
  return `${base}${separator}${rest}`;
}
