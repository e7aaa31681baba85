/** Formats whole numbers with all their digits: a step is one of many millions, and its neighbours have to differ from it. */
import type { Language } from '../../shared/base/language.ts';
import { formatNumber } from '../../shared/i18n/quantity.ts';

/** '50,000,400' where `formatNumber` has '5e7'. */
export const formatCount = (count: number, language: Language): string =>
  Number.isSafeInteger(count) ? count.toLocaleString(language) : formatNumber(count, language);
