/** Says in words where ranks wait for each other: the same for the window and the command line. */
import type { Language } from '../base/language.ts';
import { formatDuration, formatNumber } from '../i18n/quantity.ts';
import { say } from '../i18n/say.ts';
import type { CollectiveWait, Operation, RankPlace } from './collective-wait.ts';

/** More ranks are only counted. */
const maxNamed = 8;

/** `all_reduce (64 × float32)`; a name without tensors stands alone. */
function operationName({ name, shape, dtype }: Operation): string {
  if (shape === undefined) return name;
  const edges = shape.length === 0 ? '1' : shape.join('×');
  return `${name} (${[edges, dtype].filter((part) => part !== undefined && part !== '').join(' ')})`;
}

const named = (places: readonly RankPlace[], language: Language): string[] => {
  const names = places.slice(0, maxNamed).map(({ rank }) => say(language, 'collectives.rank', { rank }));
  const more = places.length - maxNamed;
  return more > 0 ? [...names, say(language, 'collectives.more', { count: more })] : names;
};

/** One sentence; `now` in Unix seconds: when the run ended, or the present. */
export function describeWait(wait: CollectiveWait, now: number, language: Language): string {
  const what = {
    missing: named(wait.missing, language),
    waiting: named(wait.waiting, language),
    number: formatNumber(wait.number, language),
    time: formatDuration(Math.max(1, Math.round(now - wait.since)), language),
  };
  switch (wait.kind) {
    case 'joining':
      return wait.missing.length === 0
        ? say(language, 'collectives.joiningAll', what)
        : say(language, 'collectives.joining', what);
    case 'apart': {
      const { given = 0, size, address = '' } = wait.apart ?? {};
      return size !== undefined && size < given
        ? say(language, 'collectives.smaller', { given, size })
        : say(language, 'collectives.apart', { given, address });
    }
    case 'alone':
      return say(language, 'collectives.alone', { time: what.time, count: wait.missing.length });
    case 'missing':
      return wait.operation === undefined
        ? say(language, 'collectives.missingUnnamed', what)
        : say(language, 'collectives.missing', { ...what, operation: operationName(wait.operation) });
    case 'ending':
      return say(language, 'collectives.ending', what);
    case 'different':
      return say(language, 'collectives.different', what);
    case 'all':
      return say(language, 'collectives.all', {
        ...what,
        operation: wait.operation === undefined ? '' : operationName(wait.operation),
      });
  }
}

/** Where one rank is: its collective, and the script's own line. */
export function describePlace(rank: RankPlace, language: Language): string {
  const { place, operation } = rank;
  const parts = [
    ...(operation === undefined ? [] : [operationName(operation)]),
    ...(place === undefined ? [] : [`${place.file}:${place.line} ${place.function}: ${place.text}`]),
  ];
  return parts.length > 0 ? parts.join(' · ') : say(language, 'collectives.silent');
}
