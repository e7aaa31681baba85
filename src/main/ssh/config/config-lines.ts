/**
 * Parses and rewrites one line of an SSH configuration. Only the keywords below get into the copy that OpenSSH reads,
 * in a plain spelling: what would run a program (`Match exec`, `KnownHostsCommand`, `LocalCommand`, `PKCS11Provider`,
 * …) is dropped in every spelling, and so is every unknown keyword.
 */
import type { ConfigWarning } from '../../../shared/lab/ssh-config.ts';

/** The allowed keywords. None of them runs anything in `ssh -G`. */
const kept: ReadonlySet<string> = new Set([
  'hostname',
  'port',
  'user',
  'identityfile',
  'identityagent',
  'proxyjump',
  'tag',
  'canonicaldomains',
  'canonicalizefallbacklocal',
  'canonicalizehostname',
  'canonicalizemaxdots',
]);
/** Whether the copy has lines with this keyword. */
export const isKept = (keyword: string): boolean => kept.has(keyword);
/** Criteria of `Match` that only compare, and whether a value follows. */
const comparing: ReadonlyMap<string, boolean> = new Map([
  ['all', false],
  ['canonical', false],
  ['final', false],
  ['host', true],
  ['originalhost', true],
  ['user', true],
  ['localuser', true],
  ['tagged', true],
]);

/** Replaces every ProxyCommand: never run, but preserves that the first of ProxyCommand and ProxyJump applies. */
export const unusedProxy = 'ringlab-does-not-run-this';

/** Keywords that decide how a host logs in and that Ringlab does not use, with the warning about each. */
const unusedLogins: ReadonlyMap<string, ConfigWarning['kind']> = new Map([
  ['certificatefile', 'certificate_file'],
  ['hostkeyalias', 'host_key_alias'],
]);

/** The warning about a line that decides how a host logs in and is dropped. */
export const droppedLogin = ({ keyword, words }: ConfigLine): ConfigWarning['kind'] | undefined =>
  words[0] === undefined || words[0] === 'none' ? undefined : unusedLogins.get(keyword);

const longestLine = 64 * 1024;
const maxWords = 1000;

export interface ConfigLine {
  /** Lower case, without quotes; empty for a comment. */
  readonly keyword: string;
  readonly words: readonly string[];
  /** Versions of OpenSSH disagree about a word: newer ones read a backslash before a quote, backslash or space as an escape. */
  readonly disputed?: true;
}

/**
 * Splits a line into words. A quote may begin within the keyword and ends it (`Ma"tch"exec` is Match exec), one `=`
 * may follow the keyword, a comment ends the line. undefined where versions of OpenSSH disagree about the line.
 */
export function readConfigLine(text: string): ConfigLine | undefined {
  const line = text.replaceAll(/^[\s\f]+|[\s\f]+$/g, '');
  if (line === '' || line.startsWith('#')) return { keyword: '', words: [] };
  if (line.length > longestLine || /[\0-\x08\x0b-\x1f\x7f]/.test(line)) return undefined;
  const separated = /^=?([^\s"=]*"[^"]*"|[^\s"=]+)[ \t]*=?[ \t]*(.*)$/.exec(line);
  const [, first, rest] = separated ?? [];
  if (first === undefined || rest === undefined) return undefined;
  const keyword = first.replaceAll('"', '').toLowerCase();
  const words: string[] = [];
  let disputed = false;
  const word = /[ \t]*((?:"[^"]*"|'[^']*'|[^\s"'])+)/y;
  for (let at = 0; at < rest.length; at = word.lastIndex) {
    word.lastIndex = at;
    const found = word.exec(rest)?.[1];
    if (found === undefined) return undefined;
    if (found.startsWith('#')) break;
    disputed ||= /\\(?:["'\\]|$)/.test(found);
    words.push(
      found.replaceAll(
        /"([^"]*)"|'([^']*)'/g,
        (_, double?: string, single?: string) => double ?? single ?? '',
      ),
    );
    if (words.length > maxWords) return undefined;
  }
  return disputed ? { keyword, words, disputed } : { keyword, words };
}

/** The word, in double quotes where needed; undefined where versions of OpenSSH disagree about it. */
function written(word: string): string | undefined {
  if (/["']|\\\\|\\$/.test(word)) return undefined;
  return /^[\w@%+:,./~*?!\\-]+$/.test(word) ? word : `"${word}"`;
}

function writtenLine(keyword: string, words: readonly string[]): string | undefined {
  const all = words.map(written);
  return all.length === 0 || all.includes(undefined) ? undefined : `${keyword} ${all.join(' ')}`;
}

/** OpenSSH reads ProxyJump as it stands: with quotes it would refuse the whole file, whatever is in them. */
function jumpLine(words: readonly string[]): string | undefined {
  const isPlain = words.every((word) => /^[^\s"'#]+$/.test(word) && !/\\\\|\\$/.test(word));
  return words.length > 0 && isPlain ? `proxyjump ${words.join(' ')}` : undefined;
}

/** `Match` with criteria that only compare; undefined for all others. */
export function harmlessMatch({ words, disputed }: ConfigLine): string | undefined {
  if (disputed) return undefined;
  // OpenSSH reads `host=gpu` as `host gpu`.
  const left = words.flatMap((word) => {
    const at = word.indexOf('=');
    return at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
  });
  const out: string[] = [];
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const plain = name.replace(/^!/, '').toLowerCase();
    const takesValue = comparing.get(plain);
    if (takesValue === undefined) return undefined;
    out.push(name.startsWith('!') ? `!${plain}` : plain);
    if (!takesValue) continue;
    const value = left.shift();
    const quoted = value === undefined || value === '' ? undefined : written(value);
    if (quoted === undefined) return undefined;
    out.push(quoted);
  }
  return out.length === 0 ? undefined : `match ${out.join(' ')}`;
}

/** `ssh -W %h:%p gate` is equivalent to ProxyJump; other commands are not run. */
const asJump =
  /^(?:\S*\/)?ssh(?: +-q)? +-W +\[?%h\]?:%p(?: +-q)? +((?:[A-Za-z0-9_.][\w.-]*@)?[A-Za-z0-9_.][\w.-]*)(?: +2>\/dev\/null)?$/;

/** The line for the copy; undefined where it is dropped. `host`, `match` and `include` are handled by the caller. */
export function harmlessLine({ keyword, words, disputed }: ConfigLine): string | undefined {
  if (keyword === 'host') return disputed ? undefined : writtenLine('host', words);
  if (keyword === 'proxycommand') {
    const command = words.join(' ');
    const jump = asJump.exec(command)?.[1];
    if (jump !== undefined) return `proxyjump ${jump}`;
    return `proxycommand ${/^none$/i.test(command) ? 'none' : unusedProxy}`;
  }
  if (!isKept(keyword) || disputed) return undefined;
  return keyword === 'proxyjump' ? jumpLine(words) : writtenLine(keyword, words);
}
