/**
 * Keeps the code of own scripts on this computer, `<data>/code/`: `objects/` holds each content once, `trees/<hash>/`
 * a version as links to them, `repositories/` what was cloned.
 */
import { randomUUID } from 'node:crypto';
import {
  chmod,
  copyFile,
  cp,
  link,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  utimes,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import { moduleOf } from '../../shared/lab/script-check.ts';
import type { Script } from '../../shared/lab/script.ts';
import type { RunCode } from '../../shared/run/run-code.ts';
import { hashFile, readFolder, type FolderManifest } from '../transfer/index.ts';
import type { CodeShelf, KeptCode, TakeOptions } from './contract.ts';
import { cloneInto, type Clone } from './clone.ts';
import { workTreeOf } from './git.ts';
import { compareKept, readKeptText } from './kept-files.ts';
import { listFiles, type ListedFile } from './list-files.ts';
import { executableList, readExecutable, writeExecutable } from './executable-list.ts';
import { ownFolder } from './measure.ts';
import { prune } from './prune.ts';

/** @param home the user's home folder, for a path that begins with `~` */
export function createCodeShelf(folder: string, home: string): CodeShelf {
  const objectOf = (sha256: string): string => join(folder, 'objects', sha256.slice(0, 2), sha256);
  const treeOf = (hash: string): string => join(folder, 'trees', hash);

  /** The manifest of a kept version. Throws code_gone where it is missing or damaged. */
  const readKept = async (hash: string): Promise<FolderManifest> => {
    const gone = (): RinglabError => new RinglabError('code_gone', { hash, path: treeOf(hash) });
    if ((await stat(treeOf(hash)).catch(() => undefined))?.isDirectory() !== true) throw gone();
    const manifest = await manifestOf(treeOf(hash), await listAll(treeOf(hash)), {});
    if (manifest.hash !== hash) throw gone();
    return manifest;
  };

  /** Keeps a folder's files; concurrent keepers of one version do no harm. */
  const keep = async (manifest: FolderManifest, options: TakeOptions): Promise<FolderManifest> => {
    const tree = treeOf(manifest.hash);
    const there = await readKept(manifest.hash).catch(() => undefined);
    if (there !== undefined) {
      // Its age counts from when it was taken last.
      const now = new Date();
      await utimes(tree, now, now).catch(() => undefined);
      return there;
    }
    await mkdir(join(folder, 'trees'), { recursive: true });
    const part = await mkdtemp(join(folder, 'trees', '.part-'));
    try {
      let isAsRead = true;
      for (const { path, sha256 } of manifest.files) {
        options.signal?.throwIfAborted();
        const kept = await keepObject(join(manifest.root, path), sha256);
        isAsRead &&= kept === sha256;
        if (kept === undefined) continue;
        const target = join(part, path);
        await mkdir(dirname(target), { recursive: true });
        // Not every file system has links.
        await link(objectOf(kept), target).catch(() => copyFile(objectOf(kept), target));
      }
      await writeExecutable(part, manifest);
      // A log that grows, a file that an editor replaces: the version is what was copied.
      return await store(part, isAsRead ? manifest : await manifestOf(part, await listAll(part), {}));
    } catch (error) {
      await rm(part, { recursive: true, force: true });
      throw error;
    }
  };

  /** Gives a complete tree the name of its version. */
  const store = async (part: string, manifest: FolderManifest): Promise<FolderManifest> => {
    const tree = treeOf(manifest.hash);
    try {
      await rename(part, tree);
    } catch {
      // Another caller has just stored it and may be reading it, or what is stored was damaged.
      const theirs = await readKept(manifest.hash).catch(() => undefined);
      if (theirs !== undefined) {
        await rm(part, { recursive: true, force: true });
        return theirs;
      }
      await rm(tree, { recursive: true, force: true });
      await rename(part, tree);
    }
    return { ...manifest, root: tree };
  };

  /** Keeps the file's content as it is now. Returns its hash; undefined where it is gone. */
  const keepObject = async (from: string, expected: string): Promise<string | undefined> => {
    if ((await hashFile(objectOf(expected)).catch(() => undefined)) === expected) return expected;
    // Two runs may take the same file at once.
    const part = `${objectOf(expected)}.${randomUUID()}.part`;
    await mkdir(dirname(part), { recursive: true });
    try {
      await copyFile(from, part);
      const sha256 = await hashFile(part);
      await chmod(part, 0o444);
      await mkdir(dirname(objectOf(sha256)), { recursive: true });
      await rename(part, objectOf(sha256));
      return sha256;
    } catch (error) {
      await rm(part, { force: true });
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  };

  const taken = async (
    root: string,
    script: Script,
    options: TakeOptions,
    clone: Clone | undefined,
  ): Promise<KeptCode> => {
    const tree = clone === undefined ? await workTreeOf(root, options.signal) : undefined;
    const files = await listFiles(root, clone ?? tree, options.signal);
    checkFiles(root, script, files);
    const manifest = await keep(await manifestOf(root, files, options), options);
    const at = (clone ?? tree)?.commit;
    return {
      manifest,
      code: {
        ...codeOf(manifest),
        ...(at === undefined ? {} : { commit: at }),
        ...(tree === undefined ? {} : { changed: tree.changed }),
      },
      diff: tree?.diff,
    };
  };

  return {
    async take(script, options = {}) {
      const { source } = script;
      if (source.type === 'folder') {
        return taken(ownFolder(source.path, home), script, options, undefined);
      }
      await mkdir(folder, { recursive: true });
      const checkout = await mkdtemp(join(folder, '.checkout-'));
      try {
        const repositories = join(folder, 'repositories');
        const ref = source.ref?.trim();
        const clone = await cloneInto(
          repositories,
          source.url.trim(),
          ref === '' ? undefined : ref,
          checkout,
          options,
        );
        return await taken(checkout, script, options, clone);
      } finally {
        await rm(checkout, { recursive: true, force: true });
      }
    },
    async kept(code) {
      return { manifest: await readKept(code.hash), code };
    },
    async text(code, path) {
      const tree = treeOf(code.hash);
      if ((await stat(tree).catch(() => undefined))?.isDirectory() !== true)
        throw new RinglabError('code_gone', { hash: code.hash, path: tree });
      return readKeptText(tree, path);
    },
    compare: async (before, after) => compareKept(await readKept(before.hash), await readKept(after.hash)),
    prune: (named) => prune(folder, named),
    async takeOut(code, to) {
      const { root, files } = await readKept(code.hash);
      if ((await readdir(to).catch(() => [])).length > 0) throw new RinglabError('file_exists', { path: to });
      // Copies, not links: the user may edit them.
      await cp(root, to, {
        recursive: true,
        force: false,
        filter: (from) => basename(from) !== executableList,
      });
      for (const { path, executable } of files)
        await chmod(join(to, path), executable === true ? 0o755 : 0o644);
    },
  };
}

const codeOf = ({ hash, files, bytes }: FolderManifest): RunCode => ({ hash, files: files.length, bytes });

/** Its name is the same for all, so that a node reuses files of any other version. */
const manifestOf = async (
  root: string,
  files: readonly ListedFile[],
  { signal, onProgress }: TakeOptions,
): Promise<FolderManifest> => ({
  ...(await readFolder(root, {
    parts: files.map(({ path }) => path),
    executable: new Set(files.filter(({ executable }) => executable).map(({ path }) => path)),
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  })),
  name: 'code',
});

/** Every file of a kept tree. */
async function listAll(root: string): Promise<ListedFile[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const executable = await readExecutable(root);
  return entries
    .filter((entry) => entry.isFile() && entry.name !== executableList)
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/');
      return { path, size: 0, executable: executable.has(path) };
    });
}

/** Throws script_missing, which says why where the file is there but not sent. */
function checkFiles(root: string, script: Script, files: readonly ListedFile[]): void {
  const paths = new Set(files.map(({ path }) => path));
  const folder = (script.workingFolder ?? '').replace(/^\.\/+|\/+$/g, '');
  const miss = (path: string): never => {
    throw new RinglabError('script_missing', { path, folder: root }, { where: root });
  };
  const norm = (path: string): string => path.replaceAll('\\', '/').replace(/^(\.\/+)+/, '');
  const module_ = moduleOf(script);
  if (module_ === undefined && !paths.has(norm(script.file))) miss(script.file);
  if (folder !== '' && folder !== '.' && ![...paths].some((path) => path.startsWith(`${norm(folder)}/`)))
    miss(`${folder}/`);
  if (script.install?.type === 'requirements' && !paths.has(norm(script.install.file)))
    miss(script.install.file);
  if (script.install?.type === 'project' && !paths.has('pyproject.toml')) miss('pyproject.toml');
}
