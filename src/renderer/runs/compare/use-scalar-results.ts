/** The scalars of compared scripts as rows of results: the last value of each, and the best where the name says which. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { bestOf, type ScalarMeasure } from '../../../shared/run/scalar-values.ts';
import { formatNumber } from '../../ui/index.ts';
import { useLanguage } from '../../state/index.ts';
import { namesIn, useScalarValues } from '../table/index.ts';
import type { Result } from './result.ts';

/** More would hide the settings below. */
const maxScalars = 24;
const none: readonly string[] = [];

/** `more`: scalars without rows. */
export function useScalarResults(runs: readonly RunSummary[]): {
  readonly rows: readonly Result[];
  readonly more: number;
} {
  const { t } = useTranslation();
  const language = useLanguage();
  const named = useScalarValues(runs, none);
  const names = useMemo(() => namesIn(named), [named]);
  // Judged ones first: losses and accuracies.
  const shown = useMemo(
    () =>
      [...names]
        .sort((a, b) => Number(bestOf(a) === undefined) - Number(bestOf(b) === undefined))
        .slice(0, maxScalars),
    [names],
  );
  const values = useScalarValues(runs, shown);
  const row = (name: string, measure: ScalarMeasure): Result => ({
    label: t(`runTable.measured.${measure}`, { name }),
    of: (run) => values.get(run.id)?.values[name]?.[measure],
    format: (value) => formatNumber(value, language),
  });
  return {
    rows: shown.flatMap((name) => {
      const best = bestOf(name);
      return [row(name, 'final'), ...(best === undefined ? [] : [row(name, best)])];
    }),
    more: names.length - shown.length,
  };
}
