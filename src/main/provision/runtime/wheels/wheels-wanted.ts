/**
 * What an experiment wants installed beside PyTorch: for the native trainer nothing, for an own script its
 * `requirements.txt`, its `pyproject.toml` with `uv.lock`, or a list of packages. Files are read on this computer.
 */
import { join } from 'node:path';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import type { Script } from '../../../../shared/lab/script.ts';
import { readOwnFile } from '../../../base/own-file.ts';
import { reasonOf } from '../../../base/reason.ts';
import { expandHome } from '../../node/home-path.ts';
import { torchLocked } from './lock-file.ts';
import { namesOwnIndex } from './named-indexes.ts';
import { countsOnNodes } from './node-markers.ts';
import { projectWanted } from './project-files.ts';
import { decoded, readRequirements } from './requirement-files.ts';

export interface WantedPackages {
  /** Files for uv, by name: `requirements.txt` with `constraints.txt`, `pyproject.toml`, `uv.lock`. */
  readonly files: Readonly<Record<string, string>>;
  /** Names and versions beside those in the files. */
  readonly packages: readonly string[];
  /** The Pythons that they are for: `>=3.12`. */
  readonly python?: string;
}

/** The folder of this computer that holds a script's code; undefined where it is not here. */
export type CodeFolder = (script: Script, home: string) => Promise<string | undefined>;

const maxFile = 4 * 1024 ** 2;
/** Without it PyTorch warns at each start. */
const always = ['numpy'];
/** What nearly every script on images imports. */
const usual = ['torchvision', ...always];

/** The folder as the user wrote it; a repository is elsewhere. */
export const ownCodeFolder: CodeFolder = ({ source }, home) =>
  Promise.resolve(source.type === 'folder' ? expandHome(source.path.trim(), home) : undefined);

/**
 * @param home of the user, for `~` in the script's folder
 * @throws file_unreadable where a file that the user names cannot be read, requirement_local, requirement_unlisted
 */
export async function wantedPackages(
  { experiment: { script } }: LabDocument,
  home: string,
  codeFolder: CodeFolder,
): Promise<WantedPackages> {
  if (script === undefined) return { files: {}, packages: always };
  const { install } = script;
  if (install?.type === 'packages') return { files: {}, packages: [...always, ...install.packages] };
  if (install?.type === 'none') return { files: {}, packages: always };
  const folder = await codeFolder(script, home);
  const optional = async (name: string): Promise<string | undefined> =>
    folder === undefined
      ? undefined
      : readOwnFile(join(folder, name), maxFile).then(
          (bytes) => decoded(bytes),
          () => undefined,
        );
  const named = async (name: string): Promise<string> => {
    const path = join(folder ?? '', name);
    try {
      return decoded(await readOwnFile(path, maxFile));
    } catch (error) {
      throw new RinglabError(
        'file_unreadable',
        { path, reason: reasonOf(error) },
        { where: path, cause: error },
      );
    }
  };
  if (install?.type === 'requirements')
    return { files: await readRequirements(folder ?? '', install.file), packages: [] };
  if (install?.type === 'project')
    return projectWanted(folder ?? '', await named('pyproject.toml'), await optional('uv.lock'));
  if (folder !== undefined && (await optional('requirements.txt')) !== undefined)
    return { files: await readRequirements(folder, 'requirements.txt'), packages: [] };
  return { files: {}, packages: usual };
}

const version = /^2\.\d{1,3}(?:\.\d{1,3})?(?:\+[\w.-]{1,40})?$/;

/** The PyTorch that they name exactly for Linux, which decides the Python: `2.3.0+cu121` of `torch==2.3.0+cu121`. */
export function torchNamed({ files, packages }: WantedPackages): string | undefined {
  const lock = files['uv.lock'];
  const locked = lock === undefined ? undefined : torchLocked(lock);
  if (locked !== undefined && version.test(locked)) return locked;
  const text = [...Object.values(files), ...packages].join('\n');
  const named = /^[\s"']*torch\s*==\s*(2\.\d{1,3}(?:\.\d{1,3})?(?:\+[\w.-]{1,40})?)(?![\w.*])(.*)$/gm;
  return [...text.matchAll(named)].find(([, , rest = '']) => countsOnNodes(rest))?.[1];
}

/**
 * The builds of PyTorch, `cu126` or `cpu`, that an experiment names: by the version, or by addresses of indexes, as PyTorch's own are.
 * Empty where it takes that of PyPI.
 * @param torch the version that is asked for
 * @param indexes of the lab, in place of the files' own
 */
export function buildsNamed(
  { files }: WantedPackages,
  torch: string | undefined,
  indexes: readonly string[],
): readonly string[] {
  const own = /\+([a-z0-9]+)/.exec(torch ?? '')?.[1];
  if (own !== undefined) return [own];
  const lines = Object.values(files).flatMap((text) => text.split('\n'));
  const counts = (line: string): boolean =>
    !/^\s*#/.test(line) && !(indexes.length > 0 && namesOwnIndex(line));
  const text = [...indexes, ...lines.filter(counts)].join('\n');
  const named = text.matchAll(/https?:\/\/[^\s"']+\/(cu\d{2,3}|cpu)(?![^/\s"'])/g);
  return [...new Set([...named].flatMap(([, build]) => build ?? []))];
}
