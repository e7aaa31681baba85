/** Solving a lab's environment on a connected node, with micromamba's own solver: what `ringlab lock` does. */
import { z } from 'zod';
import { RinglabError } from '../../../shared/errors.ts';
import { shellQuote } from '../../ssh/index.ts';
import { lastWords } from '../node-shell.ts';
import { known, type StepContext } from '../step.ts';
import { compareVersions } from '../trainer-version.ts';
import { glibcNeeded, type LibtorchBuild, type Lock, type LockedPackage, type NodeMake } from './lock.ts';
import { mambaCall } from './micromamba.ts';

/** What the trainer is linked with. The build is named: without it a solver may choose one for the CPU on a GPU node. */
const runtimeSpecs = (cuda: string | undefined): string[] => [
  `libtorch=*=${cuda === undefined ? 'cpu' : 'cuda'}*`,
  'libjpeg-turbo',
  'libpng',
  'zlib',
];
const toolSpecs = (cuda: string | undefined): string[] => [
  'cxx-compiler',
  'cmake',
  'ninja',
  ...(cuda === undefined ? [] : ['cuda-cudart-dev', 'libcublas-dev', 'libcusolver-dev', 'nccl']),
];

const solveMinutes = 15;

/** A package as micromamba tells of it with `--json`; it leaves one of the hashes out at times. */
const Told = z.object({
  name: z.string(),
  version: z.string(),
  build_string: z.string().optional(),
  build: z.string().optional(),
  fn: z.string(),
  subdir: z.string(),
  size: z.number().optional(),
  sha256: z.string().nullish(),
  md5: z.string().nullish(),
  depends: z.array(z.string()).nullish(),
});
const Solved = z.object({ actions: z.object({ LINK: z.array(Told).min(1) }) });
const Found = z.object({ result: z.object({ pkgs: z.array(Told) }) });

const hash = (text: string | null | undefined, digits: number): string | undefined =>
  text?.length === digits ? text : undefined;

const packageOf = (told: z.infer<typeof Told>, tools: boolean): LockedPackage => {
  const sha256 = hash(told.sha256, 64);
  const md5 = hash(told.md5, 32);
  if (sha256 === undefined && md5 === undefined)
    throw new RinglabError('hash_mismatch', { path: told.fn }, { detail: 'the channel tells no hash of it' });
  return {
    name: told.name,
    version: told.version,
    build: told.build_string ?? told.build ?? '',
    file: `${told.subdir}/${told.fn}`,
    ...(told.size === undefined ? {} : { size: told.size }),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(md5 === undefined ? {} : { md5 }),
    depends: told.depends ?? [],
    tools,
  };
};

/**
 * @param program micromamba on the node
 * @throws runtime_unsolved, command_failed where micromamba answers in another form
 */
export async function solveLock(
  context: StepContext,
  program: string,
  channel: string,
  make: NodeMake,
  now: number,
): Promise<Lock> {
  const { shell, status } = context;
  const facts = known(context.work, 'facts');
  const call = mambaCall(program, facts, { CONDA_OVERRIDE_CUDA: make.cuda ?? '' });
  const from = `--json --no-rc --override-channels -c ${shellQuote(channel)}`;
  const ask = async <T>(what: string, schema: z.ZodType<T>, specs: readonly string[]): Promise<T> => {
    const result = await shell.exec(`${call} ${what} ${from} ${specs.map(shellQuote).join(' ')}`, {
      label: `micromamba ${what} ${specs.join(' ')}`,
      online: true,
      quiet: true,
      timeoutMs: solveMinutes * 60_000,
      maxOutputBytes: 32 * 1024 * 1024,
    });
    const parsed = schema.safeParse(jsonIn(result.stdout));
    if (parsed.success) return parsed.data;
    const detail = lastWords({ ...result, stderr: `${result.stderr}\n${result.stdout.slice(-4000)}` });
    throw new RinglabError('runtime_unsolved', { channel, specs: specs.join(' ') }, { detail });
  };
  const dryRun = `create --dry-run -y -p ${shellQuote(`${facts.home}/.ringlab/environments/.solve`)}`;
  status.log.add(`solving for ${make.platform}, ${make.cuda === undefined ? 'CPU' : `CUDA ${make.cuda}`}`);
  const runtime = await ask(dryRun, Solved, runtimeSpecs(make.cuda));
  const fixed = runtime.actions.LINK.map(
    (one) => `${one.name}=${one.version}=${one.build_string ?? one.build ?? '*'}`,
  );
  const withTools = await ask(dryRun, Solved, [...fixed, ...toolSpecs(make.cuda)]);
  const search = await ask('search', Found, ['libtorch']);
  const names = new Set(runtime.actions.LINK.map(({ name }) => name));
  return {
    solvedAt: now,
    platform: make.platform,
    ...(make.cuda === undefined ? {} : { cuda: make.cuda }),
    channel,
    packages: [
      ...runtime.actions.LINK.map((one) => packageOf(one, false)),
      ...withTools.actions.LINK.filter(({ name }) => !names.has(name)).map((one) => packageOf(one, true)),
    ],
    builds: buildsOf(search.result.pkgs, make),
  };
}

/** Progress lines may stand before the object. */
function jsonIn(text: string): unknown {
  const start = text.indexOf('{');
  try {
    return start < 0 ? undefined : JSON.parse(text.slice(start));
  } catch {
    return undefined;
  }
}

/** The newest of each glibc that they need. */
function buildsOf(found: readonly z.infer<typeof Told>[], make: NodeMake): LibtorchBuild[] {
  const newest = new Map<string, LibtorchBuild>();
  for (const one of found) {
    const build = one.build_string ?? one.build ?? '';
    if (build.startsWith('cuda') !== (make.cuda !== undefined)) continue;
    const glibc = glibcNeeded([{ depends: one.depends ?? [] }]);
    const before = newest.get(glibc ?? '');
    if (before === undefined || compareVersions(one.version, before.version) > 0)
      newest.set(glibc ?? '', { version: one.version, build, ...(glibc === undefined ? {} : { glibc }) });
  }
  return [...newest.values()];
}

/** `libtorch 1.10.2`: the newest that runs on this glibc. */
export function newestFor(lock: Lock, glibc: string): string {
  const fits = lock.builds.filter((one) => one.glibc === undefined || compareVersions(one.glibc, glibc) <= 0);
  const best = fits.sort((a, b) => compareVersions(b.version, a.version))[0];
  return best === undefined ? '–' : `libtorch ${best.version} (${best.build})`;
}
