/** Looks into kept code: its files, the text of one, and what differs between two versions. */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import type { Phrase } from '../../shared/base/phrase.ts';
import { staysBelow } from '../../shared/lab/script-check.ts';
import { maxDiffText, maxShownBytes, type CodeDiff } from '../../shared/run/code-files.ts';
import { phrase } from '../i18n/index.ts';
import { reasonOf } from '../base/reason.ts';
import type { FolderManifest } from '../transfer/index.ts';
import { binaryDiff, modeDiff, unifiedDiff } from './line-diff.ts';

const unreadable = (path: string, reason: Phrase | string): RinglabError =>
  new RinglabError('file_unreadable', { path, reason }, { where: path });

/** @param root of the kept tree, which has plain files alone. Throws file_unreadable. */
export async function readKeptText(root: string, path: string): Promise<string> {
  if (!staysBelow(path)) throw unreadable(path, phrase('reasons.script.outside'));
  const found = await lstat(join(root, path)).catch((error: unknown) => {
    throw unreadable(path, reasonOf(error));
  });
  if (!found.isFile()) throw unreadable(path, phrase('reasons.ownFile.notRegular'));
  if (found.size > maxShownBytes)
    throw unreadable(path, phrase('reasons.ownFile.large', { limit: maxShownBytes }));
  const text = await textOf(root, path);
  if (text === undefined) throw unreadable(path, phrase('reasons.script.notText'));
  return text;
}

/** Undefined where it is no text. */
async function textOf(root: string, path: string): Promise<string | undefined> {
  const bytes = await readFile(join(root, path));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The first `maxDiffText` characters, in whole lines. */
export function limited(text: string): CodeDiff {
  if (text.length <= maxDiffText) return { text, truncated: false };
  const end = text.lastIndexOf('\n', maxDiffText);
  return { text: text.slice(0, end < 0 ? maxDiffText : end + 1), truncated: true };
}

/** What leads from one version to the other, file by file in order of their paths. */
export async function compareKept(before: FolderManifest, after: FolderManifest): Promise<CodeDiff> {
  const [old, now] = [before, after].map(
    ({ files }) => new Map(files.map((file) => [file.path, file] as const)),
  );
  const paths = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].sort();
  let text = '';
  for (const path of paths) {
    const [was, is] = [old?.get(path), now?.get(path)];
    if (was?.sha256 === is?.sha256) {
      if (was?.executable !== is?.executable) text += modeDiff(path, is?.executable === true);
      continue;
    }
    const [from, to] = [
      was === undefined ? 'absent' : was.size > maxShownBytes ? undefined : await textOf(before.root, path),
      is === undefined ? 'absent' : is.size > maxShownBytes ? undefined : await textOf(after.root, path),
    ];
    text +=
      from === undefined || to === undefined
        ? binaryDiff(path)
        : unifiedDiff(path, was === undefined ? undefined : from, is === undefined ? undefined : to);
    if (text.length > maxDiffText) break;
  }
  return limited(text);
}
