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

interface Pattern {
  /** As one of the root's. */
  readonly pattern: string;
  /** For the ignore file's own folder, not for all folders below, too. */
  readonly isAnchored: boolean;
}
type IsLeftOut = (pattern: string, isAnchored: boolean) => boolean;

/** Which no pattern means: one that matches it matches every name. */
const anyName = '\uE000any\uE000';

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
  const read = async (isLeftOut?: IsLeftOut): Promise<IgnoreRules> => {
    let rules = noRules;
    for (const index of parts.keys())
      rules = await rulesIn(root, parts.slice(0, index).join('/'), rules, isLeftOut);
    return rules;
  };
  const rules = await read();
  if (prefix === '') return rules;
  const anything = `${prefix}${anyName}`;
  const isOut = rules.all.ignores(prefix);
  // Also where it is excluded as `exp/*`, unless a list of what git keeps there has scripts.
  if (!isOut && !rules.all.ignores(`${anything}.py`)) return rules;
  // Who chooses a folder that is excluded wants it: what excludes something in it still counts.
  return await read((pattern, isAnchored) => {
    const one = withMore(noRules.all, [pattern]);
    return (isOut && one.ignores(prefix)) || (isAnchored && one.ignores(anything));
  });
}

/** @param base the folder, relative to the root; empty for the root */
export async function rulesIn(
  root: string,
  base: string,
  outer: IgnoreRules,
  isLeftOut: IsLeftOut = () => false,
): Promise<IgnoreRules> {
  let rules = outer;
  for (const name of ignoreFiles) {
    const text = await readFile(join(root, base, name), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const lines = text
      .slice(0, maxPatternBytes)
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/);
    const patterns = lines
      .flatMap((line) => fromRoot(line, base))
      .filter(({ pattern, isAnchored }) => !isLeftOut(pattern, isAnchored))
      .map(({ pattern }) => pattern);
    rules = {
      all: withMore(rules.all, patterns),
      own: name === ownName ? withMore(rules.own, patterns) : rules.own,
    };
  }
  return rules;
}

/** A folder's pattern as one of the root's: so all are in one list, in which a later one takes back an earlier one. */
function fromRoot(line: string, base: string): Pattern[] {
  if (line.startsWith('#')) return [];
  const [, not = '', pattern = ''] = /^(!?)(.*)$/su.exec(line) ?? [];
  const trimmed = pattern.replace(/ +$/, '');
  // One with a slash before its end.
  const isAnchored = /\/./.test(trimmed);
  if (base === '') return [{ pattern: line, isAnchored }];
  if (/^\/*$/.test(trimmed)) return [];
  const folder = base.replace(/[\\*?[\]]/g, String.raw`\$&`);
  const below = isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return [{ pattern: `${not}/${folder}/${below}`, isAnchored }];
}
