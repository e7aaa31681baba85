/**
 * The libraries step: provides libtorch as the experiment says, JPEG and zlib; TIFF and WebP only where packages are
 * installed.
 */
import { plain, type Phrase } from '../../../shared/base/phrase.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runtimeOf } from '../../../shared/lab/lab.ts';
import { hasApt } from '../download/has-apt.ts';
import type { Runtime } from '../../../shared/lab/runtime.ts';
import type { Clock } from '../../base/clock.ts';
import {
  imagePackages,
  installLine,
  installPackages,
  planPackages,
  runtimePackages,
} from '../download/packages.ts';
import { checkSuits, describeLibtorch, type Libtorch } from '../node/libtorch.ts';
import { existingRuntime, systemRuntime, type RuntimeSource } from './index.ts';
import { known, type Step, type StepContext } from '../engine/step.ts';
import { compareVersions } from '../node/versions.ts';
import { readFacts } from '../node/read-facts.ts';
import { phrase } from '../../i18n/index.ts';

/** Asks the dynamic loader's cache; where there is none (musl, no ldconfig) the usual folders. */
const missingScript = `
PATH="$PATH:/usr/sbin:/sbin"
list=$(ldconfig -p 2>/dev/null)
for name in libjpeg.so libz.so; do
  case $list in *"$name"*) continue;; esac
  for file in /usr/lib/*/$name* /lib/*/$name* /usr/lib/$name* /usr/lib64/$name* /usr/local/lib/$name*; do
    [ -e "$file" ] && continue 2
  done
  printf '%s ' "$name"
done
`;

interface Looked {
  readonly libtorch: Libtorch | undefined;
  /** The missing image libraries. */
  readonly images: readonly string[];
}

const absent = ({ libtorch, images }: Looked): string[] => [
  ...(libtorch === undefined ? ['libtorch'] : []),
  ...images,
];

async function look(context: StepContext, source: RuntimeSource): Promise<Looked> {
  const libtorch = await source.find(context);
  const output = source.bringsImages
    ? ''
    : (
        await context.shell.ask(missingScript, { label: phrase('nodeCommands.sharedLibraries') })
      ).stdout.trim();
  return { libtorch, images: output === '' ? [] : output.split(/\s+/) };
}

/** From here on the trainer is built, and it and scripts are run, with this libtorch. Throws what `checkSuits` does. */
/** The oldest libtorch that the trainer builds with (Debian 12's); Debian 11 has 1.7. */
const oldestLibtorch = '1.13';

/** Throws `libtorch_old`, before hundreds of megabytes are installed and a compiler fails. */
function mustBuildWith({ lab }: StepContext, libtorch: Libtorch | undefined): void {
  if (libtorch === undefined || lab.experiment.script !== undefined) return;
  if (compareVersions(libtorch.version, oldestLibtorch) < 0)
    throw new RinglabError('libtorch_old', { found: libtorch.version, needed: oldestLibtorch });
}

async function accept(context: StepContext, libtorch: Libtorch, source: RuntimeSource): Promise<Phrase> {
  const facts = known(context.work, 'facts');
  mustBuildWith(context, libtorch);
  checkSuits(libtorch, context.node, facts, context.lab.experiment.backend);
  context.work.libtorch = libtorch;
  context.work.buildTools = source.buildTools;
  // An own script's step asks for it; here it costs nothing for wheels alone.
  if (runtimeOf(context.lab).type === 'wheels') context.work.python = await source.python?.(context);
  context.work.facts = { ...facts, libtorch: libtorch.version };
  return plain(describeLibtorch(libtorch));
}

type RuntimeSources = Readonly<Record<Runtime['type'], RuntimeSource>>;

export function createLibrariesStep(clock: Clock, conda: RuntimeSource, wheels: RuntimeSource): Step {
  const sources: RuntimeSources = { system: systemRuntime, existing: existingRuntime, conda, wheels };
  const sourceOf = ({ lab }: Pick<StepContext, 'lab'>): RuntimeSource => sources[runtimeOf(lab).type];
  return {
    id: 'libraries',
    foresee: (context) => Promise.resolve(sourceOf(context).bringsImages ? [] : [missingScript]),
    async check(context) {
      const source = sourceOf(context);
      const found = await look(context, source);
      const missing = absent(found);
      const again = context.redo && (source.bringsImages || hasApt(known(context.work, 'facts')));
      if (missing.length === 0 && found.libtorch !== undefined && !again)
        return accept(context, found.libtorch, source);
      if (missing.length > 0) context.status.log.add(phrase('stepLog.missing', { missing }));
      return undefined;
    },
    async plan(context) {
      const source = sourceOf(context);
      const found = await look(context, source);
      const expected = found.libtorch ?? (await source.expected?.(context));
      mustBuildWith(context, expected);
      // Later steps plan with it: the trainer depends on it.
      context.work.libtorch = expected;
      context.work.foreseen = found.libtorch === undefined;
      context.work.buildTools = source.buildTools;
      return [
        ...(found.libtorch === undefined || source === systemRuntime || context.redo
          ? await source.plan(context)
          : []),
        ...(source !== systemRuntime && found.images.length > 0
          ? await planPackages(context, imagePackages, 'node_no_libtorch')
          : []),
      ];
    },
    async apply(context) {
      const source = sourceOf(context);
      const found = await look(context, source);
      if (found.libtorch === undefined) mustBuildWith(context, await source.expected?.(context));
      if (found.libtorch === undefined || source === systemRuntime || context.redo)
        await source.install(context);
      if (source !== systemRuntime && found.images.length > 0)
        await installPackages(context, imagePackages, 'node_no_libtorch');
    },
    async verify(context) {
      const source = sourceOf(context);
      const report = await readFacts(context.shell, clock);
      context.work.facts = report.facts;
      context.work.libtorch = report.libtorch;
      const found = await look(context, source);
      const missing = absent(found);
      if (missing.length === 0 && found.libtorch !== undefined)
        return accept(context, found.libtorch, source);
      throw new RinglabError(
        'node_no_libtorch',
        { command: installLine(runtimePackages) },
        { detail: missing.join(', ') },
      );
    },
  };
}
