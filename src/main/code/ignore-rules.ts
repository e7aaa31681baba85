/** Which files `.gitignore` and `.ringlabignore` exclude, of a work tree's folders from its root down, by git's own rules. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** A longer list of patterns is not read further. */
const maxPatternBytes = 1024 ** 2;
const ownName = '.ringlabignore';
/** The later one decides. */
const ignoreFiles = ['.gitignore', ownName];

export interface IgnoreRules {
  /** Of all files above and in a folder: the innermost pattern that matches decides, as in git. */
  readonly all: Ignore;
  /** Those of `.ringlabignore` alone, which count for what git tracks, too. */
  readonly own: Ignore;
}

/** As git decides it on this system, where it is not set up otherwise. */
const ignorecase = process.platform !== 'linux';
const withMore = (before: Ignore, patterns: readonly string[]): Ignore =>
  ignore({ ignorecase }).add([before, ...patterns.map((pattern) => ({ pattern }))]);

const noRules: IgnoreRules = { all: ignore({ ignorecase }), own: ignore({ ignorecase }) };

/**
 * Of the folders above one.
 * @param prefix the way to it from the root, which ends with `/`; empty for the root
 */
export async function rulesAbove(root: string, prefix: string): Promise<IgnoreRules> {
  const parts = prefix.split('/').slice(0, -1);
  const read = async (isLeftOut?: (pattern: string) => boolean): Promise<IgnoreRules> => {
    let rules = noRules;
    for (const index of parts.keys())
      rules = await rulesIn(root, parts.slice(0, index).join('/'), rules, isLeftOut);
    return rules;
  };
  const rules = await read();
  if (prefix === '' || !rules.all.ignores(prefix)) return rules;
  // Who chooses a folder that is excluded wants it: what excludes something in it still counts.
  return await read((pattern) => withMore(noRules.all, [pattern]).ignores(prefix));
}

/** @param base the folder, relative to the root; empty for the root */
export async function rulesIn(
  root: string,
  base: string,
  outer: IgnoreRules,
  isLeftOut: (pattern: string) => boolean = () => false,
): Promise<IgnoreRules> {
  let rules = outer;
  for (const name of ignoreFiles) {
    const text = await readFile(join(root, base, name), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const lines = text
      .slice(0, maxPatternBytes)
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/);
    const patterns = lines.flatMap((line) => fromRoot(line, base)).filter((pattern) => !isLeftOut(pattern));
    rules = {
      all: withMore(rules.all, patterns),
      own: name === ownName ? withMore(rules.own, patterns) : rules.own,
    };
  }
  return rules;
}

/** A folder's pattern as one of the root's: so all are in one list, in which a later one takes back an earlier one. */
function fromRoot(line: string, base: string): string[] {
  if (line.startsWith('#')) return [];
  if (base === '') return [line];
  const [, not = '', pattern = ''] = /^(!?)(.*)$/su.exec(line) ?? [];
  const trimmed = pattern.replace(/ +$/, '');
  if (/^\/*$/.test(trimmed)) return [];
  const folder = base.replace(/[\\*?[\]]/g, String.raw`\$&`);
  // One with a slash before its end is for this folder itself, one without for all folders below, too.
  const isAnchored = /\/./.test(trimmed);
  return [`${not}/${folder}/${isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`}`];
}
