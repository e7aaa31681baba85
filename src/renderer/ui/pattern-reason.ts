/** Why a pattern is not understood, by the trainer's English sentence (native/collect/patterns), in the user's language. */
import type { TFunction } from 'i18next';
import { script } from '../i18n/en/script.ts';

type Key = keyof typeof script.patterns.reason.fixed;
const { fixed } = script.patterns.reason;
// Object.keys gives the object's own keys as strings.
const keys = new Map(Object.keys(fixed).map((key) => [fixed[key as Key] as string, key as Key]));

/** The sentence as it is where another version of the trainer says what has no words here. */
export function patternReason(sentence: string, t: TFunction): string {
  const [, what = sentence, at] = /^(.+) at character (\d+)$/.exec(sentence) ?? [];
  const reason = wordsOf(what, t);
  if (reason === undefined) return sentence;
  return at === undefined ? reason : t('script.patterns.reason.at', { reason, at });
}

function wordsOf(what: string, t: TFunction): string | undefined {
  const key = keys.get(what);
  if (key !== undefined) return t(`script.patterns.reason.fixed.${key}`);
  const nothing = /^nothing to repeat before (.+)$/.exec(what)?.[1];
  if (nothing !== undefined) return t('script.patterns.reason.nothing', { text: nothing });
  const unsupported = /^(\\.) is not supported$/.exec(what)?.[1];
  return unsupported === undefined
    ? undefined
    : t('script.patterns.reason.unsupported', { text: unsupported });
}

/** The same of `pattern 'NAME': REASON`, as the collector reports it; undefined for anything else. */
export function namedPatternReason(sentence: string, t: TFunction): string | undefined {
  const [, name, reason] = /^pattern '(.*)': (.+)$/.exec(sentence) ?? [];
  return name === undefined || reason === undefined
    ? undefined
    : t('script.patterns.reason.ofPattern', { name, reason: patternReason(reason, t) });
}
