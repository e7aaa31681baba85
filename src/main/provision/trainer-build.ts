/** Building the trainer on a node from our sources: what it takes, and the four commands. */
import { RinglabError } from '../../shared/errors.ts';
import type { NodeFacts } from '../../shared/provision.ts';
import { shellQuote } from '../ssh/index.ts';
import { saysDiskFull } from '../transfer/index.ts';
import { lastWords } from './node-shell.ts';
import { buildPackages, installLine, installPackages, toolPackages } from './packages.ts';
import type { TrainerSources } from './sources.ts';
import { known, type StepContext } from './step.ts';

/** Object files, the precompiled header and the binary together, with room to spare. */
const buildBytes = 700 * 1024 ** 2;
/** A compiler that reads libtorch's headers takes this much. */
const bytesPerJob = 1.5 * 1024 ** 3;
const buildMinutes = 90;

/** Prints what is missing, a word each. */
const toolsScript = (prefix: string): string => `
has() { command -v "$1" >/dev/null 2>&1; }
has c++ || has g++ || has clang++ || echo compiler
has cmake || echo cmake
has ninja || has make || echo ninja
there() { for file; do [ -e "$file" ] && return 0; done; return 1; }
there ${shellQuote(prefix)}/include/torch/csrc/api/include/torch/torch.h /usr/include/torch/csrc/api/include/torch/torch.h /usr/local/include/torch/csrc/api/include/torch/torch.h || echo libtorch-headers
there ${shellQuote(prefix)}/include/jpeglib.h /usr/include/jpeglib.h /usr/include/*/jpeglib.h /usr/local/include/jpeglib.h || echo jpeg-headers
there ${shellQuote(prefix)}/include/png.h /usr/include/png.h /usr/include/*/png.h /usr/local/include/png.h || echo png-headers
there ${shellQuote(prefix)}/include/zlib.h /usr/include/zlib.h /usr/include/*/zlib.h /usr/local/include/zlib.h || echo zlib-headers
`;

/** Brings what is missing. Returns what comes before each command that builds: an environment that has the tools, or nothing. */
async function ensureTools(context: StepContext): Promise<string> {
  const script = toolsScript(context.work.libtorch?.prefix ?? '/usr');
  let inside = '';
  const look = async (): Promise<string> =>
    (
      await context.shell.run(inside === '' ? script : `${inside}sh -c ${shellQuote(script)}`, {
        label: 'look for what building takes',
      })
    ).trim();
  if ((await look()) === '') return '';
  if (context.work.buildTools !== undefined) {
    inside = await context.work.buildTools(context);
    if ((await look()) === '') return inside;
  }
  const packages = context.work.libtorch?.prefix === undefined ? buildPackages : toolPackages;
  await installPackages(context, packages, 'node_no_compiler');
  const missing = await look();
  if (missing !== '') {
    throw new RinglabError(
      'node_no_compiler',
      { command: installLine(packages) },
      { detail: `still missing: ${missing.replaceAll('\n', ', ')}` },
    );
  }
  return inside;
}

/** What CMake is told. */
export function buildOptions({ work }: StepContext): string {
  const prefix = work.libtorch?.prefix;
  return [
    '-DCMAKE_BUILD_TYPE=Release',
    '-DRINGLAB_TESTS=OFF',
    ...(prefix === undefined ? [] : [`-DCMAKE_PREFIX_PATH=${shellQuote(prefix)}`]),
  ].join(' ');
}

/** As many as the node has cores and memory for. */
export const jobsFor = (facts: NodeFacts): number =>
  Math.max(1, Math.min(facts.cpus, Math.floor(facts.memoryFreeBytes / bytesPerJob)));

/**
 * Sends the sources, builds, and leaves the binary at `target` on the node; it is renamed there when it is whole.
 * What was compiled stays until the build has succeeded, so that a second attempt goes on where the first ended.
 * @throws node_no_compiler, node_disk_full, trainer_build_failed (the compiler's last words in `detail`)
 */
export async function buildOnNode(
  context: StepContext,
  sources: TrainerSources,
  folder: string,
  target: string,
): Promise<void> {
  const { shell, status, work } = context;
  const facts = known(work, 'facts');
  const inside = await ensureTools(context);
  if (facts.diskFreeBytes < buildBytes) {
    throw new RinglabError('node_disk_full', {
      path: facts.home,
      needed: buildBytes,
      free: facts.diskFreeBytes,
    });
  }
  const [root, to] = [shellQuote(folder), shellQuote(target)];
  await shell.upload({ bytes: await sources.archive() }, `${folder}/native.tar`);
  const step = async (script: string, onOutput?: (text: string) => void): Promise<void> => {
    const result = await shell.exec(inside === '' ? script : `${inside}sh -c ${shellQuote(script)}`, {
      ...(inside === '' ? {} : { label: script }),
      timeoutMs: buildMinutes * 60_000,
      ...(onOutput === undefined ? {} : { onOutput }),
    });
    if (result.code === 0) return;
    const said = lastWords(result, 60);
    const detail = result.stderr.trim() === '' ? said : `${result.stdout.slice(-4000)}\n${said}`;
    if (saysDiskFull(detail)) {
      throw new RinglabError(
        'node_disk_full',
        { path: folder, needed: buildBytes, free: facts.diskFreeBytes },
        { detail },
      );
    }
    throw new RinglabError('trainer_build_failed', {}, { detail });
  };
  const options = buildOptions(context);
  await step(`cd ${root} && rm -rf src && mkdir src && tar -xf native.tar -C src`);
  await step(
    `cd ${root} && generator=; command -v ninja >/dev/null && generator='-G Ninja'; cmake -S src -B out $generator ${options}`,
  );
  await step(
    `cd ${root} && cmake --build out --target ringlab-train --parallel ${jobsFor(facts)} 2>&1`,
    (text) => {
      const counts = [...text.matchAll(/\[\s*(\d+)(?:\/(\d+)|%)\]/g)].at(-1);
      if (counts !== undefined) status.progress(Number(counts[1]), Number(counts[2] ?? 100), 'steps');
    },
  );
  await step(
    `cd ${root} && mkdir -p "$(dirname ${to})" && cp out/ringlab-train ${to}.part && chmod 755 ${to}.part && mv ${to}.part ${to} && cd .. && rm -rf ${root}`,
  );
}
