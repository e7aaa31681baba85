/** Asks uv on a node which wheels an environment is made of, for a bundle; nothing is installed. */
import * as z from 'zod';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { shownAddress } from '../../../../shared/base/shown-address.ts';
import { shellQuote } from '../../../ssh/index.ts';
import { packageName, packageVersion, wheelFile } from '../../bundle/index-file.ts';
import { lastWords } from '../../node/node-shell.ts';
import type { StepContext } from '../../engine/step.ts';
import { fileName } from './index-page.ts';
import { tomlOf } from './lock-file.ts';
import type { UvFolders } from './uv-folders.ts';
import {
  exportLocked,
  failureReason,
  indexOptions,
  requirementFiles,
  settings,
  unsolvedReason,
  type IndexSource,
  type WheelsEnvironment,
} from './wheels-commands.ts';
import { reasonOf } from '../../../base/reason.ts';
import { phrase } from '../../../i18n/index.ts';

/** The oldest glibc that `runtime: wheels` runs with: what is solved for it fits every node. */
const platformOf = (arch: string): string => `${arch}-manylinux_2_28`;

export interface SolvedWheel {
  readonly name: string;
  readonly version: string;
  readonly file: string;
}

type Asked = Pick<WheelsEnvironment, 'uv' | 'files' | 'folder' | 'cpuBuild'>;

const compileScript = (
  { uv, folder, cpuBuild }: Asked,
  folders: UvFolders,
  python: string,
  arch: string,
  source: IndexSource,
  files: readonly string[],
  more = '',
): string => `${settings(folders)}
uv=${shellQuote(uv)}
cd ${shellQuote(folder)} || exit 1
${files.includes('locked.txt') ? exportLocked : ''}"$uv" pip compile --quiet --no-header --no-build --no-python-downloads --python ${shellQuote(python)} --python-platform ${platformOf(arch)} ${indexOptions(source)}${cpuBuild ? ' --torch-backend cpu' : ''} --format pylock.toml ${more}${files.join(' ')}`;

const Pylock = z.object({
  packages: z
    .array(
      z.object({
        name: z.string().regex(packageName),
        version: z.string().regex(packageVersion).optional(),
        wheels: z
          .array(z.object({ url: z.string().max(4000) }))
          .max(50)
          .optional(),
      }),
    )
    .max(1000),
});

/**
 * The wheels of uv's answer.
 * @throws wheels_unsolved where a package has none: a node without internet cannot build it
 */
function wheelsOf(text: string): SolvedWheel[] {
  const parsed = Pylock.safeParse(tomlOf(text));
  if (!parsed.success)
    throw new RinglabError(
      'command_failed',
      { command: 'uv pip compile', code: 0 },
      { detail: parsed.error.message },
    );
  return parsed.data.packages.flatMap(({ name, version, wheels = [] }) => {
    const files = wheels.map(({ url }) => fileName(url)).filter((file) => wheelFile.test(file));
    if (version === undefined || files.length === 0)
      throw new RinglabError('bundle_no_wheel', { package: name });
    return files.map((file) => ({ name, version, file }));
  });
}

/** CUDA's version that these wheels bring: `12.8` of `nvidia-cuda-runtime-cu12` 12.8.90. */
function cudaOf(wheels: readonly SolvedWheel[]): string | undefined {
  const runtime = wheels.find(({ name }) => /^nvidia-cuda-runtime(-cu\d+)?$/.test(name));
  return /^\d{1,2}\.\d{1,2}/.exec(runtime?.version ?? '')?.[0];
}

/** The wheels of CUDA's headers that `createScript` installs for the native trainer. */
const headersFor = (cuda: string): string[] =>
  cuda.startsWith('11.') || cuda.startsWith('12.')
    ? ['nvcc', 'cccl'].map((name) => `nvidia-cuda-${name}-cu${cuda.split('.')[0] ?? ''}==${cuda}.*`)
    : ['crt', 'cccl'].map((name) => `nvidia-cuda-${name}==${cuda}.*`);

/**
 * @param python `3.11`: there is one on the node
 * @param headers with CUDA's headers, to build the trainer
 * @throws wheels_unsolved, bundle_no_wheel, mirrors_failed
 */
export async function solveWheels(
  { shell, status }: StepContext,
  asked: Asked,
  folders: UvFolders,
  {
    python,
    arch,
    index,
    source,
    headers,
  }: { python: string; arch: string; index: string; source: IndexSource; headers: boolean },
): Promise<SolvedWheel[]> {
  for (const [name, text] of Object.entries(asked.files))
    await shell.upload({ bytes: Buffer.from(text) }, `${asked.folder}/${name}`, { quiet: true });
  const solve = async (files: readonly string[], more?: string): Promise<SolvedWheel[]> => {
    const result = await shell.exec(compileScript(asked, folders, python, arch, source, files, more), {
      label: phrase('nodeCommands.neededWheels', { index: shownAddress(index) }),
      quiet: true,
      online: true,
      timeoutMs: 15 * 60_000,
      maxOutputBytes: 8 * 1024 ** 2,
    });
    if (result.code === 0) return wheelsOf(result.stdout);
    const detail = lastWords(result);
    const unsolved = unsolvedReason(result.stderr);
    if (unsolved !== undefined) throw new RinglabError('wheels_unsolved', { reason: unsolved }, { detail });
    throw new RinglabError(
      'download_failed',
      { url: shownAddress(index), reason: failureReason(result.stderr) },
      { detail },
    );
  };
  try {
    const wheels = await solve(requirementFiles(asked.files));
    const cuda = headers ? cudaOf(wheels) : undefined;
    if (cuda === undefined) return wheels;
    await shell.upload(
      { bytes: Buffer.from(`${headersFor(cuda).join('\n')}\n`) },
      `${asked.folder}/headers.txt`,
      {
        quiet: true,
      },
    );
    const known = new Set(wheels.map(({ file }) => file));
    const more = await solve(['headers.txt'], '--no-deps ').catch((error: unknown) => {
      status.log.add(phrase('stepLog.noCudaHeaders', { problem: reasonOf(error) }));
      return [];
    });
    return [...wheels, ...more.filter(({ file }) => !known.has(file))];
  } finally {
    await shell.exec(`rm -rf ${shellQuote(asked.folder)}`, { quiet: true });
  }
}
