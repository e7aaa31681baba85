/** The text for a limit and the value that passed it, in the user's language. */
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { fromFinite, type PassedLimit, type ValueWatch } from '../../../shared/metrics/value-watch.ts';
import { useLanguage } from '../../state/index.ts';
import { formatNumber, formatPercent } from '../../ui/index.ts';

export function useLimitText(): (watch: ValueWatch | PassedLimit) => string {
  const { t } = useTranslation();
  const language = useLanguage();
  return useCallback(
    (watch) => {
      const formatValue = (value: number): string =>
        watch.value === 'top1'
          ? formatPercent(value, language)
          : watch.value === 'temperature'
            ? `${formatNumber(value, language)} °C`
            : formatNumber(value, language);
      const rule = `${watch.scalar ?? t(`watch.of.${watch.value}`)} ${watch.above ? '≥' : '≤'} ${formatValue(watch.limit)}`;
      if (!('reached' in watch)) return rule;
      const where = watch.where === undefined ? '' : ` (${watch.where})`;
      return `${rule}: ${formatValue(fromFinite(watch.reached))}${where}`;
    },
    [t, language],
  );
}
