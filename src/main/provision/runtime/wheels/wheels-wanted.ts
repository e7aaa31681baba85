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

export interface WantedPackages {
  /** Files for uv, by name: `requirements.txt`, `pyproject.toml`, `uv.lock`. */
  readonly files: Readonly<Record<string, string>>;
  /** Names and versions beside those in the files. */
  readonly packages: readonly string[];
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
 * @throws file_unreadable where a file that the user names cannot be read
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
          (bytes) => bytes.toString('utf8'),
          () => undefined,
        );
  const named = async (name: string): Promise<string> => {
    const path = join(folder ?? '', name);
    try {
      return (await readOwnFile(path, maxFile)).toString('utf8');
    } catch (error) {
      throw new RinglabError(
        'file_unreadable',
        { path, reason: reasonOf(error) },
        { where: path, cause: error },
      );
    }
  };
  if (install?.type === 'requirements')
    return { files: { 'requirements.txt': await named(install.file) }, packages: [] };
  if (install?.type === 'project') return project(await named('pyproject.toml'), await optional('uv.lock'));
  const requirements = await optional('requirements.txt');
  if (requirements !== undefined) return { files: { 'requirements.txt': requirements }, packages: [] };
  return { files: {}, packages: usual };
}

const project = (pyproject: string, lock: string | undefined): WantedPackages => ({
  files: { 'pyproject.toml': pyproject, ...(lock === undefined ? {} : { 'uv.lock': lock }) },
  packages: [],
});

/** The PyTorch that they name exactly, which decides the Python: `2.3.0` of `torch==2.3.0`. */
export function torchNamed({ files, packages }: WantedPackages): string | undefined {
  const text = [...Object.values(files), ...packages].join('\n');
  return /^[\s"']*torch\s*==\s*(2\.\d{1,3}(?:\.\d{1,3})?)(?![\w.*])/m.exec(text)?.[1];
}
