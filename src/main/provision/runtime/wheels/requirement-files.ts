/**
 * Reads a script's requirements with the files that they include, as one text for uv and one of constraints: on the node
 * there are no others beside them.
 */
import { join, posix } from 'node:path';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { staysBelow } from '../../../../shared/lab/script-check.ts';
import { readOwnFile } from '../../../base/own-file.ts';
import { reasonOf, WordedError } from '../../../base/reason.ts';
import { phrase } from '../../../i18n/index.ts';
import { indexLine } from './named-indexes.ts';

/** Of all files together. */
const maxBytes = 4 * 1024 ** 2;
const constraintsFile = 'constraints.txt';

/** `-r base.txt`, `--constraint=limits.txt`. */
const include = /^(?:-([rc])\s*|--(requirement|constraint)(?:\s+|\s*=\s*))(\S.*)$/;
const isAddress = /^[a-z][a-z0-9+.-]+:\/\//i;
/** An absolute path, or one that begins with a variable. */
const isOfNode = /^(?:\/|\$\{\w+\})/;
/** What lies beside the file; an absolute path is the node's own, as is one that begins with a variable. */
const local = [
  /^(?:-e\s*|--editable[\s=])/,
  /^(?:-f\s*|--find-links[\s=]+)(?![\s/]|\$\{|[a-z][a-z0-9+.-]+:\/\/)/i,
  /^\.{1,2}(?:[\\/[\s;]|$)/,
  /^(?!\$\{)[^\s@:;=<>[\]/\\-][^\s@:;=<>[\]]*(?:[\\/]|\.whl|\.tar\.gz|\.zip)(?=[^:]*$)/,
  /\s@\s*(?:file:)?(?:\.{1,2}[\\/]|(?!\$\{)[^\s:/]+[\\/])/,
];

/** By its byte-order mark, as PowerShell writes one; else UTF-8. */
export function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const is = (a: number, b: number): boolean => first === a && second === b;
  return new TextDecoder(is(0xff, 0xfe) ? 'utf-16le' : is(0xfe, 0xff) ? 'utf-16be' : 'utf-8').decode(bytes);
}

const unreadable = (path: string, error: unknown): RinglabError =>
  new RinglabError('file_unreadable', { path, reason: reasonOf(error) }, { where: path, cause: error });

/**
 * @param folder of the script
 * @param given one file, or several that are one after the other
 * @returns the files for uv, by name: `requirements.txt`, and `constraints.txt` where there are any
 * @throws file_unreadable, requirement_local
 */
export async function readRequirements(
  folder: string,
  given: string | readonly string[],
): Promise<Readonly<Record<string, string>>> {
  let left = maxBytes;
  const constraints: string[] = [];
  const seen = new Set<string>();
  const indexes = new Set<string>();
  const read = async (path: string): Promise<string> => {
    const full = join(folder, path);
    try {
      if (!staysBelow(path)) throw new WordedError(phrase('reasons.script.outside'));
      const bytes = await readOwnFile(full, left);
      left -= bytes.length;
      return decoded(bytes);
    } catch (error) {
      throw unreadable(full, error);
    }
  };
  const whole = async (path: string, ofConstraints: boolean): Promise<string> => {
    const key = `${ofConstraints ? 'c' : 'r'} ${path}`;
    if (seen.has(key)) return '';
    seen.add(key);
    const lines: string[] = [];
    for (const line of (await read(path)).split('\n')) {
      const text = line.replace(/(?:^|\s)#.*$/, '').trim();
      const [, short, long, named = ''] = include.exec(text) ?? [];
      if (local.some((pattern) => pattern.test(text)))
        throw new RinglabError(
          'requirement_local',
          { file: path, line: text },
          { where: join(folder, path) },
        );
      const address = indexLine(text);
      const index = address === undefined ? undefined : `${ofConstraints ? 'c' : 'r'} ${address}`;
      // uv refuses a second `--index-url`, and pip-compile writes one into each file.
      if (index !== undefined && indexes.has(index)) continue;
      if (index !== undefined) indexes.add(index);
      if (named === '' || isAddress.test(named) || isOfNode.test(named)) {
        lines.push(line);
        continue;
      }
      const target = posix.normalize(posix.join(posix.dirname(path), named.replaceAll('\\', '/')));
      if (ofConstraints || (short ?? long?.charAt(0)) === 'r') lines.push(await whole(target, ofConstraints));
      else constraints.push(await whole(target, true));
    }
    return lines.join('\n');
  };
  const texts: string[] = [];
  for (const name of [given].flat())
    texts.push(await whole(posix.normalize(name.replaceAll('\\', '/')), false));
  const text = texts.join('\n');
  if (constraints.length === 0) return { 'requirements.txt': text };
  return {
    'requirements.txt': `${text}\n-c ${constraintsFile}\n`,
    [constraintsFile]: constraints.join('\n'),
  };
}
