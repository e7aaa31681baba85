/**
 * The files of a lab's own script in its folder on this computer: listed for the inspector, read and saved for its
 * editor. Nothing outside that folder and no hidden file is touched, and only text.
 */
import { createHash, randomUUID } from 'node:crypto';
import { chmod, lstat, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { ScriptFile, ScriptText } from '../../shared/contract/script-files.ts';
import { maxScriptBytes } from '../../shared/contract/script-files.ts';
import { RinglabError } from '../../shared/base/errors.ts';
import type { Phrase } from '../../shared/base/phrase.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { staysBelow } from '../../shared/lab/script-check.ts';
import { readOwnFile } from '../base/own-file.ts';
import { reasonOf } from '../base/reason.ts';
import { phrase } from '../i18n/index.ts';

/** Where listing stops, so that a home folder with millions of files does not hold the window up. */
const maxVisited = 20_000;
const maxDepth = 8;
const maxFiles = 1000;
const maxFolders = 200;
/** What a user edits beside a script. */
const textFile = /\.(pyw?|txt|toml|ya?ml|json|cfg|ini|md)$/i;
/** Hidden files, and folders that hold other people's code. */
const skipped = /^(\..*|__pycache__|node_modules|site-packages)$/;

export interface ScriptFiles {
  /** The folder itself, without links. Throws `file_unreadable`. */
  folder(lab: LabDocument): Promise<string>;
  /** By path, folders last. Throws `file_unreadable`. */
  list(lab: LabDocument): Promise<{ files: ScriptFile[]; more: boolean }>;
  /** Throws `file_unreadable`. */
  read(lab: LabDocument, file: string): Promise<ScriptText>;
  /**
   * Replaces the file's content.
   * @param sha256 of the content that was read: with another one on disk `script_changed` is thrown, and nothing is
   * written. Throws `file_unreadable` and `file_unwritable`, too.
   */
  save(lab: LabDocument, file: string, text: string, sha256: string): Promise<{ sha256: string }>;
  /** The folders in a folder of this computer, for completing a typed path; none where it cannot be read. */
  folders(path: string): Promise<{ folders: string[]; more: boolean }>;
}

/** @param home the user's, for `~` */
export function createScriptFiles(home: string): ScriptFiles {
  const absolute = (path: string): string => path.trim().replace(/^~(?=$|[/\\])/, () => home);
  const rootOf = async ({ experiment: { script } }: LabDocument): Promise<string> => {
    if (script?.source.type !== 'folder') throw unreadable('', phrase('reasons.script.noFolder'));
    const path = absolute(script.source.path);
    if (path === '') throw unreadable('', phrase('reasons.script.noFolder'));
    const real = await realpath(path).catch((error: unknown) => {
      throw unreadable(path, isAbsent(error) ? phrase('reasons.ownFile.absent') : reasonOf(error));
    });
    if (!(await stat(real)).isDirectory()) throw unreadable(path, phrase('reasons.script.notFolder'));
    return real;
  };
  /** The file itself: links are followed, as long as they stay in the folder. */
  const placeOf = async (lab: LabDocument, file: string): Promise<string> => {
    const root = await rootOf(lab);
    const path = join(root, file);
    const hidden = file.split(/[/\\]/).some((part) => skipped.test(part));
    if (!staysBelow(file) || hidden || !textFile.test(file))
      throw unreadable(path, phrase('reasons.script.notOffered'));
    const real = await realpath(path).catch((error: unknown) => {
      throw unreadable(path, isAbsent(error) ? phrase('reasons.ownFile.absent') : reasonOf(error));
    });
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
      throw unreadable(path, phrase('reasons.script.outside'));
    return real;
  };
  return {
    folder: rootOf,
    async list(lab) {
      const root = await rootOf(lab);
      const files: ScriptFile[] = [];
      let visited = 0;
      let level = [''];
      for (let depth = 0; level.length > 0 && depth < maxDepth; depth += 1) {
        const next: string[] = [];
        for (const folder of level) {
          const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(
            (error: unknown) => {
              if (folder === '') throw unreadable(root, reasonOf(error));
              return [];
            },
          );
          // A virtual environment.
          if (folder !== '' && entries.some(({ name }) => name === 'pyvenv.cfg')) continue;
          entries.sort((a, b) => a.name.localeCompare(b.name));
          for (const entry of entries) {
            visited += 1;
            if (visited > maxVisited || files.length >= maxFiles) return { files, more: true };
            if (skipped.test(entry.name)) continue;
            const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
            if (entry.isDirectory()) next.push(path);
            else if (entry.isFile() && textFile.test(entry.name)) {
              const { size } = await lstat(join(root, path));
              files.push({ path, bytes: size });
            }
          }
        }
        level = next;
      }
      return { files, more: level.length > 0 };
    },
    async read(lab, file) {
      const path = await placeOf(lab, file);
      const bytes = await contentOf(path);
      let text: string;
      try {
        // The mark at its start stays: the file is saved with it.
        text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      } catch {
        throw unreadable(path, phrase('reasons.script.notText'));
      }
      if (text.includes('\0')) throw unreadable(path, phrase('reasons.script.notText'));
      return { text, sha256: hashOf(bytes) };
    },
    async save(lab, file, text, sha256) {
      const path = await placeOf(lab, file);
      const before = await contentOf(path);
      if (hashOf(before) !== sha256)
        throw new RinglabError('script_changed', { path: file }, { where: path });
      const bytes = Buffer.from(text, 'utf8');
      if (bytes.length > maxScriptBytes)
        throw unwritable(path, phrase('reasons.ownFile.large', { limit: maxScriptBytes }));
      const { mode } = await stat(path);
      const temporary = join(dirname(path), `.${randomUUID()}.tmp`);
      try {
        await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600, flush: true });
        await chmod(temporary, mode & 0o7777);
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined);
        throw unwritable(path, reasonOf(error), error);
      }
      return { sha256: hashOf(bytes) };
    },
    async folders(path) {
      const entries = await readdir(absolute(path), { withFileTypes: true }).catch(() => []);
      const folders = entries
        .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
        .map(({ name }) => name)
        .sort((a, b) => a.localeCompare(b));
      return { folders: folders.slice(0, maxFolders), more: folders.length > maxFolders };
    },
  };
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const contentOf = (path: string): Promise<Buffer> =>
  readOwnFile(path, maxScriptBytes).catch((error: unknown) => {
    throw unreadable(path, reasonOf(error));
  });

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

const unreadable = (path: string, reason: Phrase | string): RinglabError =>
  new RinglabError('file_unreadable', { path, reason }, { where: path });

const unwritable = (path: string, reason: Phrase | string, cause?: unknown): RinglabError =>
  new RinglabError('file_unwritable', { path, reason }, { where: path, cause });
