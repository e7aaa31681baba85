/** Solves a lab's environment on a connected node with micromamba (`ringlab lock`). */
import * as z from 'zod';
import { environmentFolder } from '../../base/node-layout.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { shellQuote } from '../../ssh/index.ts';
import { lastWords } from '../node/node-shell.ts';
import { inWords, type PlannedChange } from '../node/planned-change.ts';
import { known, type StepContext } from '../engine/step.ts';
import { compareVersions } from '../node/versions.ts';
import { glibcNeeded, LibtorchBuild, LockedPackage, maxBuilds, type Lock, type NodeMake } from './lock.ts';
import { mambaCall } from './micromamba.ts';
import { phrase } from '../../i18n/index.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';

/**
 * Packages that the trainer is linked with. The build is specified, because a solver may otherwise choose a CPU build
 * on a GPU node.
 */
const runtimeSpecs = (cuda: string | undefined): string[] => [
  `libtorch=*=${cuda === undefined ? 'cpu' : 'cuda'}*`,
  'libjpeg-turbo',
  'libtiff',
  'libwebp-base',
  'zlib',
];
const toolSpecs = (cuda: string | undefined): string[] => [
  'cxx-compiler',
  'cmake',
  'ninja',
  ...(cuda === undefined ? [] : ['cuda-cudart-dev', 'libcublas-dev', 'libcusolver-dev', 'nccl']),
];

const solveMinutes = 15;

interface SolveCommands {
  /** The command of micromamba's solver for these specs; installs nothing. */
  readonly solve: (specs: readonly string[]) => string;
  readonly search: string;
}

/** Commands for plan and execution. */
function solveCommands(
  program: string,
  facts: NodeFacts,
  channel: string,
  { cuda }: NodeMake,
): SolveCommands {
  const call = mambaCall(program, facts, { CONDA_OVERRIDE_CUDA: cuda ?? '' });
  const from = `--json --no-rc --override-channels -c ${shellQuote(channel)}`;
  const ask = (what: string, specs: readonly string[]): string =>
    `${call} ${what} ${from} ${specs.map(shellQuote).join(' ')}`;
  return {
    solve: (specs) =>
      ask(`create --dry-run -y -p ${shellQuote(environmentFolder(facts.home, '.solve'))}`, specs),
    search: ask('search', ['libtorch']),
  };
}

/** What `solveLock` runs, for a dry run. @param channels the fastest of them is used */
export function planSolve(
  program: string,
  facts: NodeFacts,
  channels: readonly string[],
  make: NodeMake,
): PlannedChange[] {
  const [channel = '', ...others] = channels;
  const commands = solveCommands(program, facts, channel, make);
  const fastest = others.length === 0 ? '' : phrase('changes.solve.fastest', { channel, channels });
  return [
    {
      what: phrase('changes.solve.solve', { fastest }),
      command: commands.solve(runtimeSpecs(make.cuda)),
    },
    inWords(phrase('changes.solve.again', { packages: toolSpecs(make.cuda) })),
    {
      what: phrase('changes.solve.builds', { fastest }),
      command: commands.search,
    },
  ];
}

/** A part of a package's specification, which becomes a word of a command: no shell can pass NUL. */
const SpecPart = z.string().regex(/^[^\0]*$/);
/** A package in micromamba's `--json` output. The output is not trusted: `LockedPackage` validates it strictly. */
const PackageRecord = z.object({
  name: SpecPart,
  version: SpecPart,
  build_string: SpecPart.optional(),
  build: SpecPart.optional(),
  fn: z.string(),
  subdir: z.string(),
  url: z.string().nullish(),
  size: z.number().optional(),
  sha256: z.string().nullish(),
  depends: z.array(z.string()).nullish(),
});
const Solved = z.object({ actions: z.object({ LINK: z.array(PackageRecord).min(1).max(3000) }) });
const Found = z.object({ result: z.object({ pkgs: z.array(PackageRecord).max(100_000) }) });

/**
 * A package that other nodes may install, too: from the requested channel and platform, with a SHA-256.
 * @throws lock_refused
 */
export const packageOf = (
  record: z.infer<typeof PackageRecord>,
  tools: boolean,
  { channel, platform }: { channel: string; platform: string },
): LockedPackage => {
  const file = `${record.subdir}/${record.fn}`;
  const refused = (reason: string | Phrase): RinglabError =>
    new RinglabError('lock_refused', { package: inPrint(record.name), channel, reason });
  if (record.sha256 === undefined || record.sha256 === null || record.sha256 === '')
    throw refused(phrase('reasons.package.noHash'));
  if (record.subdir !== platform && record.subdir !== 'noarch')
    throw refused(phrase('reasons.package.platform', { platform: inPrint(record.subdir) }));
  if (
    record.url !== undefined &&
    record.url !== null &&
    record.url !== '' &&
    !isOf(record.url, channel, file)
  )
    throw refused(phrase('reasons.package.url', { url: inPrint(record.url) }));
  const parsed = LockedPackage.safeParse({
    name: record.name,
    version: record.version,
    build: record.build_string ?? record.build ?? '',
    file,
    ...(record.size === undefined ? {} : { size: record.size }),
    sha256: record.sha256,
    depends: record.depends ?? [],
    tools,
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'custom') throw refused(phrase('reasons.package.fileName'));
  throw refused(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
};

/** A solver may append to its channel's address, but not change its host or folder. */
const isOf = (url: string, channel: string, file: string): boolean => {
  const [record, asked] = [URL.parse(url), URL.parse(`${channel}/${file}`)];
  return (
    record !== null && asked !== null && record.host === asked.host && record.pathname === asked.pathname
  );
};

const inPrint = (text: string): string => JSON.stringify(text).slice(1, -1).slice(0, 200);

/**
 * @param program path of micromamba on the node
 * @throws runtime_unsolved, command_failed where micromamba's output has another form
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
  const commands = solveCommands(program, facts, channel, make);
  const ask = async <T>(command: string, schema: z.ZodType<T>, specs: readonly string[]): Promise<T> => {
    const result = await shell.exec(command, {
      label: command,
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
  const solve = (specs: readonly string[]): Promise<z.infer<typeof Solved>> =>
    ask(commands.solve(specs), Solved, specs);
  status.log.add(
    phrase('stepLog.solving', {
      platform: make.platform,
      device: make.cuda === undefined ? 'CPU' : `CUDA ${make.cuda}`,
    }),
  );
  const runtime = await solve(runtimeSpecs(make.cuda));
  const fixed = runtime.actions.LINK.map(
    (one) => `${one.name}=${one.version}=${one.build_string ?? one.build ?? '*'}`,
  );
  const withTools = await solve([...fixed, ...toolSpecs(make.cuda)]);
  const search = await ask(commands.search, Found, ['libtorch']);
  const of = { channel, platform: make.platform };
  const names = new Set(runtime.actions.LINK.map(({ name }) => name));
  return {
    solvedAt: now,
    platform: make.platform,
    ...(make.cuda === undefined ? {} : { cuda: make.cuda }),
    channel,
    packages: [
      ...runtime.actions.LINK.map((one) => packageOf(one, false, of)),
      ...withTools.actions.LINK.filter(({ name }) => !names.has(name)).map((one) => packageOf(one, true, of)),
    ],
    builds: buildsOf(search.result.pkgs, make),
  };
}

/** Progress lines may precede the JSON object. */
function jsonIn(text: string): unknown {
  const start = text.indexOf('{');
  try {
    return start < 0 ? undefined : JSON.parse(text.slice(start));
  } catch {
    return undefined;
  }
}

/** The newest build for each glibc that they need. */
function buildsOf(found: readonly z.infer<typeof PackageRecord>[], make: NodeMake): LibtorchBuild[] {
  const newest = new Map<string, LibtorchBuild>();
  for (const one of found) {
    const build = one.build_string ?? one.build ?? '';
    if (build.startsWith('cuda') !== (make.cuda !== undefined)) continue;
    const glibc = glibcNeeded([{ depends: one.depends ?? [] }]);
    const before = newest.get(glibc ?? '');
    if (before === undefined || compareVersions(one.version, before.version) > 0)
      newest.set(glibc ?? '', { version: one.version, build, ...(glibc === undefined ? {} : { glibc }) });
  }
  // For display only: skips builds that would not validate in a lock.
  return [...newest.values()].filter((one) => LibtorchBuild.safeParse(one).success).slice(0, maxBuilds);
}

/** `libtorch 1.10.2`: the newest that runs on this glibc. */
export function newestFor(lock: Lock, glibc: string): string {
  const fits = lock.builds.filter((one) => one.glibc === undefined || compareVersions(one.glibc, glibc) <= 0);
  const best = fits.sort((a, b) => compareVersions(b.version, a.version))[0];
  return best === undefined ? '–' : `libtorch ${best.version} (${best.build})`;
}
