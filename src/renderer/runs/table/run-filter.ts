/** Filters the runs of a lab for the table. Pure functions. */
import type { RunSummary } from '../../../shared/contract/api.ts';
import { hasSetting, settingNamesOf, settingOf, type SettingName } from '../../../shared/run/run-settings.ts';
import type { RunScalarValues, ScalarMeasure } from '../../../shared/run/scalar-values.ts';
import { tookOf } from '../../../shared/run/took.ts';
import { settingValue } from './setting-value.ts';

export const scopes = ['open', 'starred', 'archived', 'bin'] as const;
export type Scope = (typeof scopes)[number];

/** Runs in the bin come from another list: the window's own list does not contain them. */
export const inScope = (run: RunSummary, scope: Scope): boolean =>
  scope === 'bin' ||
  (scope === 'archived'
    ? run.archivedAt !== undefined
    : run.archivedAt === undefined && (scope === 'open' || run.starred === true));

/** 'lr:0.1', the users' short form, beside the settings' own names. */
const shortNames: Readonly<Record<string, string>> = {
  lr: 'learningRate',
  batch: 'batchSize',
  arch: 'architecture',
  ranks: 'worldSize',
};

/** `val/loss<0.5`, `max:acc>=90`, `lr=0.1`: a value that is compared with a number. */
const comparison = /^(?:(min|max|final):)?([^<>=]+)(<=|>=|<|>|=)([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)$/;
const measures = { min: 'lowest', max: 'highest', final: 'final' } as const;

interface Comparison {
  /** In lower case. */
  readonly name: string;
  readonly measure: ScalarMeasure;
  readonly holds: (value: number) => boolean;
}

function readComparison(word: string): Comparison | undefined {
  const [, end, name, operator, digits] = comparison.exec(word) ?? [];
  if (name === undefined) return undefined;
  const limit = Number(digits);
  const holds = (value: number): boolean =>
    operator === '<'
      ? value < limit
      : operator === '>'
        ? value > limit
        : operator === '<='
          ? value <= limit
          : operator === '>='
            ? value >= limit
            : value === limit;
  return { name, measure: end === 'min' || end === 'max' ? measures[end] : 'final', holds };
}

const wordsOf = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean);

/** The names of values that a search compares with numbers, in lower case. */
export const comparedNames = (query: string): readonly string[] =>
  wordsOf(query).flatMap((word) => readComparison(word)?.name ?? []);

/** A result, a setting, an option of a script (with or without its dashes), or a scalar. */
function comparedValue(
  run: RunSummary,
  { name, measure }: Comparison,
  scalars: RunScalarValues | undefined,
): number | undefined {
  const scalar = scalars?.names.find((one) => one.toLowerCase() === name);
  const found = scalar === undefined ? undefined : scalars?.values[scalar]?.[measure];
  if (found !== undefined) return found;
  if (name === 'best') return run.bestTop1 ?? undefined;
  if (name === 'loss') return run.loss ?? undefined;
  if (name === 'took') return run.endedAt === undefined ? undefined : tookOf(run, run.endedAt);
  const setting = settingNamed(run, name);
  const value = setting === undefined ? undefined : settingValue(run, setting);
  return typeof value === 'number' ? value : undefined;
}

/** `lr:1e-3` is a learning rate of 0.001. Text with blanks or without digits is no number. */
const isNumber = (text: string): boolean => /^\S*\d\S*$/.test(text) && Number.isFinite(Number(text));
const isSame = (value: string, asked: string): boolean =>
  value === asked || (isNumber(value) && isNumber(asked) && Number(value) === Number(asked));

function settingNamed(run: RunSummary, name: string): SettingName | undefined {
  const isScript = run.experiment.script !== undefined;
  const wanted = isScript ? [name, `-${name}`, `--${name}`] : [(shortNames[name] ?? name).toLowerCase()];
  return settingNamesOf([run]).find((one) => wanted.includes(one.toLowerCase()));
}

/**
 * All terms must match: `#tag` a tag, `setting:value` a setting (`lr:0.1`, `architecture:resnet18`), `value>number` a
 * result, a setting or a scalar (`val/loss<0.5`, its lowest value `min:val/loss<0.5`), any other term the name, the
 * notes, the state, a tag or a setting.
 * @param stateWord the run's state in the user's language
 */
export function matches(
  run: RunSummary,
  query: string,
  stateWord: string,
  scalars?: RunScalarValues,
): boolean {
  const terms = wordsOf(query);
  if (terms.length === 0) return true;
  const tags = (run.tags ?? []).map((tag) => tag.toLowerCase());
  const settings = settingNamesOf([run])
    .filter((name) => hasSetting(run, name))
    .map((name) => ({ name, value: String(settingOf(run, name)).toLowerCase() }));
  const texts = [run.name, run.notes, stateWord, run.id].map((text) => text.toLowerCase());
  return terms.every((word) => {
    if (word.length > 1 && word.startsWith('#')) return tags.some((tag) => tag.startsWith(word.slice(1)));
    const compared = readComparison(word);
    if (compared !== undefined) {
      const value = comparedValue(run, compared, scalars);
      if (value !== undefined) return compared.holds(value);
    }
    const colon = word.indexOf(':');
    if (colon > 0) {
      const name = settingNamed(run, word.slice(0, colon));
      const found = settings.find((one) => one.name === name);
      if (found !== undefined) return isSame(found.value, word.slice(colon + 1));
    }
    return (
      [...texts, ...tags].some((text) => text.includes(word)) || settings.some(({ value }) => value === word)
    );
  });
}
