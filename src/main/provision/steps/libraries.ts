/** The libraries that the trainer needs at run time: libtorch, JPEG, PNG, from the node's distribution. */
import { RinglabError } from '../../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import { hasApt, installLine, installPackages, runtimePackages } from '../packages.ts';
import { known, type Step, type StepContext } from '../step.ts';
import { readFacts } from './facts.ts';

/** The loader's own list first; where there is none (musl, no ldconfig) the usual folders. */
const missingScript = `
PATH="$PATH:/usr/sbin:/sbin"
list=$(ldconfig -p 2>/dev/null)
for name in libjpeg.so libpng16.so libz.so; do
  case $list in *"$name"*) continue;; esac
  for file in /usr/lib/*/$name* /lib/*/$name* /usr/lib/$name* /usr/lib64/$name* /usr/local/lib/$name*; do
    [ -e "$file" ] && continue 2
  done
  printf '%s ' "$name"
done
`;

async function missing(context: StepContext): Promise<string[]> {
  const others = (await context.shell.run(missingScript, { label: 'look for the shared libraries' })).trim();
  return [
    ...(known(context.work, 'facts').libtorch === undefined ? ['libtorch'] : []),
    ...(others === '' ? [] : others.split(/\s+/)),
  ];
}

const summary = (context: StepContext): string =>
  `libtorch ${known(context.work, 'facts').libtorch ?? '?'}${context.work.libtorchPrefix === undefined ? '' : ` (${context.work.libtorchPrefix})`}`;

export function createLibrariesStep(clock: Clock): Step {
  return {
    id: 'libraries',
    async check(context) {
      const absent = await missing(context);
      if (absent.length === 0 && !(context.redo && hasApt(known(context.work, 'facts'))))
        return summary(context);
      if (absent.length > 0) context.status.log.add(`missing: ${absent.join(', ')}`);
      return undefined;
    },
    apply: (context) => installPackages(context, runtimePackages, 'node_no_libtorch'),
    async verify(context) {
      const report = await readFacts(context.shell, clock);
      context.work.facts = report.facts;
      context.work.libtorchPrefix = report.libtorchPrefix;
      const absent = await missing(context);
      if (absent.length === 0) return summary(context);
      throw new RinglabError(
        'node_no_libtorch',
        { command: installLine(runtimePackages) },
        { detail: `still missing: ${absent.join(', ')}` },
      );
    },
  };
}
