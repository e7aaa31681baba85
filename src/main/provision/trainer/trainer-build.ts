/**
 * Builds the trainer, or Python's engine alone, on a node from source: requirements, and the four commands for plan and
 * execution.
 */
import { posix } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { allowedCpus } from '../../../shared/node/hardware.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { shellQuote } from '../../ssh/index.ts';
import { isDiskFullMessage } from '../../transfer/index.ts';
import { lastWords } from '../node/node-shell.ts';
import {
  buildPackages,
  installLine,
  installPackages,
  planPackages,
  toolPackages,
} from '../download/packages.ts';
import { inWords, uploadWords, type PlannedChange, type RunnableChange } from '../node/planned-change.ts';
import type { TrainerSources } from './sources.ts';
import { known, type StepContext } from '../engine/step.ts';
import { phrase } from '../../i18n/index.ts';

/** Object files, the precompiled header and the binary, with a margin. */
const buildBytes = 700 * 1024 ** 2;
/** Memory of one compiler process that reads libtorch's headers. */
const bytesPerJob = 1.5 * 1024 ** 3;
const buildMinutes = 90;

/** What is built from the sources. */
export interface Product {
  /** The folder of its CMakeLists.txt in the sources. */
  readonly folder: string;
  readonly target: string;
  /** What the build leaves. */
  readonly file: string;
  /** Whether it decodes images. */
  readonly images: boolean;
  /** The folder of its libtorch; default: the step's. */
  readonly libtorch?: string | undefined;
}

const trainer: Product = { folder: '', target: 'ringlab-train', file: 'ringlab-train', images: true };

/** Prints each missing tool. */
const toolsScript = (prefix: string, images: boolean): string => `
has() { command -v "$1" >/dev/null 2>&1; }
has c++ || has g++ || has clang++ || echo compiler
has cmake || echo cmake
has ninja || has make || echo ninja
there() { for file; do [ -e "$file" ] && return 0; done; return 1; }
there ${shellQuote(prefix)}/include/torch/csrc/api/include/torch/torch.h /usr/include/torch/csrc/api/include/torch/torch.h /usr/local/include/torch/csrc/api/include/torch/torch.h || echo libtorch-headers
${images ? imageHeaders(prefix) : ''}`;

const imageHeaders = (prefix: string): string => `
there ${shellQuote(prefix)}/include/jpeglib.h /usr/include/jpeglib.h /usr/include/*/jpeglib.h /usr/local/include/jpeglib.h || echo jpeg-headers
there ${shellQuote(prefix)}/include/zlib.h /usr/include/zlib.h /usr/include/*/zlib.h /usr/local/include/zlib.h || echo zlib-headers
`;

const prefixOf = ({ work }: StepContext, { libtorch }: Product): string | undefined =>
  libtorch ?? work.libtorch?.prefix;

const packagesFor = (context: StepContext, product: Product): typeof toolPackages =>
  prefixOf(context, product) === undefined ? buildPackages : toolPackages;

const lookForTools = async (context: StepContext, product: Product, inside: string): Promise<string> => {
  const script = toolsScript(prefixOf(context, product) ?? '/usr', product.images);
  const output = await context.shell.run(insideOf(inside, script), { label: phrase('nodeCommands.tools') });
  return output.trim();
};

/** @param inside a prefix that enters an environment, or an empty string */
const insideOf = (inside: string, script: string): string =>
  inside === '' ? script : `${inside}sh -c ${shellQuote(script)}`;

/** Enters the environment of a Python's torch, behind the system's programs: pip has CMake and Ninja, too. */
const environmentOf = (torch: string | undefined): string => {
  const folder = /^(.*)\/lib\/python3[^/]*\/(?:site|dist)-packages\/torch$/.exec(torch ?? '')?.[1];
  return folder === undefined ? '' : `env PATH="$PATH":${shellQuote(`${folder}/bin`)} `;
};

/** What is missing, and the prefix with which it was looked for. */
async function findTools(
  context: StepContext,
  product: Product,
): Promise<{ readonly missing: string; readonly inside: string }> {
  const missing = await lookForTools(context, product, '');
  const inside = environmentOf(prefixOf(context, product));
  if (missing === '' || inside === '') return { missing, inside: '' };
  const missingInside = await lookForTools(context, product, inside);
  return missingInside === '' ? { missing: '', inside } : { missing, inside: '' };
}

/**
 * Installs missing tools. Returns a prefix for each build command: an environment that has the tools, or an empty
 * string.
 */
async function ensureTools(context: StepContext, product: Product): Promise<string> {
  const found = await findTools(context, product);
  if (found.missing === '') return found.inside;
  let inside = '';
  const look = (): Promise<string> => lookForTools(context, product, inside);
  if (context.work.buildTools !== undefined) {
    inside = await context.work.buildTools(context);
    if ((await look()) === '') return inside;
  }
  const packages = packagesFor(context, product);
  await installPackages(context, packages, 'node_no_compiler');
  const missing = await look();
  if (missing !== '') {
    throw new RinglabError(
      'node_no_compiler',
      { command: installLine(packages) },
      { detail: missing.replaceAll('\n', ', ') },
    );
  }
  return inside;
}

/** CMake's options. */
function buildOptions(context: StepContext, product: Product): string {
  const prefix = prefixOf(context, product);
  return [
    '-DCMAKE_BUILD_TYPE=Release',
    ...(product === trainer ? ['-DRINGLAB_TESTS=OFF'] : []),
    ...(prefix === undefined ? [] : [`-DCMAKE_PREFIX_PATH=${shellQuote(prefix)}`]),
  ].join(' ');
}

/** Limited by the node's cores and memory, and by those of its container. */
function jobsFor(facts: NodeFacts): number {
  const bytes = Math.min(facts.memoryFreeBytes, facts.limits?.memoryBytes ?? facts.memoryFreeBytes);
  return Math.max(1, Math.floor(Math.min(allowedCpus(facts), bytes / bytesPerJob)));
}

interface BuildCommands {
  readonly unpack: RunnableChange;
  readonly configure: RunnableChange;
  readonly compile: RunnableChange;
  readonly place: RunnableChange;
}

/** CMake keeps the generator and the libtorch of an earlier attempt that failed, and refuses another or takes the old one. */
const forgetOther = (options: string): string =>
  `made="$generator "${shellQuote(options)}; [ "$(cat out/.made-with 2>/dev/null)" = "$made" ] || rm -rf out
mkdir -p out && printf '%s\\n' "$made" > out/.made-with`;

/** @param inside a prefix for each command: an environment that has the tools, or an empty string */
function buildCommands(
  context: StepContext,
  product: Product,
  folder: string,
  target: string,
  inside: string,
): BuildCommands {
  const [root, to] = [shellQuote(folder), shellQuote(target)];
  const jobs = jobsFor(known(context.work, 'facts'));
  const step = (what: Phrase, script: string): RunnableChange => ({
    what,
    command: insideOf(inside, script),
    byHand: script,
  });
  return {
    unpack: step(
      phrase('changes.trainer.unpack'),
      `cd ${root} && rm -rf src && mkdir src && tar -xf native.tar --no-same-owner -C src`,
    ),
    configure: step(
      phrase('changes.trainer.configure'),
      `cd ${root} || exit 1
generator=; command -v ninja >/dev/null && generator='-G Ninja'
${forgetOther(`${inside}${buildOptions(context, product)}`)}
cmake -S ${posix.join('src', product.folder)} -B out $generator ${buildOptions(context, product)}`,
    ),
    compile: step(
      phrase('changes.trainer.compile', { jobs }),
      `cd ${root} && cmake --build out --target ${product.target} --parallel ${jobs} 2>&1`,
    ),
    place: step(
      phrase('changes.trainer.place'),
      `cd ${root} && mkdir -p "$(dirname ${to})" && cp out/${product.file} ${to}.$$ && chmod 755 ${to}.$$ && mv ${to}.$$ ${to} && cd .. && rm -rf ${root}`,
    ),
  };
}

/**
 * What `buildOnNode` would do.
 * @throws what it would throw before it changes anything
 */
export async function planBuild(
  context: StepContext,
  sources: TrainerSources,
  folder: string,
  target: string,
  product = trainer,
): Promise<PlannedChange[]> {
  const { missing, inside } = await findTools(context, product);
  const { unpack, configure, compile, place } = buildCommands(context, product, folder, target, inside);
  return [
    ...(missing === ''
      ? []
      : context.work.buildTools === undefined
        ? await planPackages(context, packagesFor(context, product), 'node_no_compiler')
        : [inWords(phrase('changes.trainer.tools', { missing: missing.split('\n') }))]),
    {
      what: phrase('changes.trainer.sources', { version: sources.version }),
      command: uploadWords('native.tar', archiveIn(folder)),
    },
    unpack,
    configure,
    compile,
    place,
  ];
}

const archiveIn = (folder: string): string => `${folder}/native.tar`;

/**
 * Sends the sources, builds, and moves the complete binary to `target` on the node. Object files stay until the build
 * has succeeded, so that a second attempt continues it.
 * @throws node_no_compiler, node_disk_full, trainer_build_failed (the compiler's last lines in `detail`)
 */
export async function buildOnNode(
  context: StepContext,
  sources: TrainerSources,
  folder: string,
  target: string,
  product = trainer,
): Promise<void> {
  const { shell, status, work } = context;
  const facts = known(work, 'facts');
  const inside = await ensureTools(context, product);
  if (facts.diskFreeBytes < buildBytes) {
    throw new RinglabError('node_disk_full', {
      path: facts.home,
      needed: buildBytes,
      free: facts.diskFreeBytes,
    });
  }
  await shell.upload({ bytes: await sources.archive() }, archiveIn(folder));
  const step = async (
    { command, byHand = command }: RunnableChange,
    onOutput?: (text: string) => void,
  ): Promise<void> => {
    const result = await shell.exec(command, {
      label: byHand,
      timeoutMs: buildMinutes * 60_000,
      ...(onOutput === undefined ? {} : { onOutput }),
    });
    if (result.code === 0) return;
    const output = lastWords(result, 60);
    const detail = result.stderr.trim() === '' ? output : `${result.stdout.slice(-4000)}\n${output}`;
    if (isDiskFullMessage(detail)) {
      throw new RinglabError(
        'node_disk_full',
        { path: folder, needed: buildBytes, free: facts.diskFreeBytes },
        { detail },
      );
    }
    throw new RinglabError('trainer_build_failed', {}, { detail });
  };
  const { unpack, configure, compile, place } = buildCommands(context, product, folder, target, inside);
  await step(unpack);
  await step(configure);
  await step(compile, (text) => {
    const counts = [...text.matchAll(/\[\s*(\d+)(?:\/(\d+)|%)\]/g)].at(-1);
    if (counts !== undefined) status.progress(Number(counts[1]), Number(counts[2] ?? 100), 'steps');
  });
  await step(place);
}
