/** Why a pattern is not understood, by the trainer's English sentence (native/collect/patterns), in the user's language. */
import type { TFunction } from 'i18next';
import { script } from '../i18n/en/script.ts';

type Key = keyof typeof script.patterns.reason.fixed;
const { fixed } = script.patterns.reason;
// Object.keys gives the object's own keys as strings.
const keys = new Map(Object.keys(fixed).map((key) => [fixed[key as Key] as string, key as Key]));

/**
 * The sentence as it is where another version of the trainer says what has no words here.
 * @param pattern whose characters the trainer has counted; absent where it is not known
 */
export function patternReason(sentence: string, t: TFunction, pattern?: string): string {
  const [, what = sentence, at] = /^(.+) at character (\d+)$/.exec(sentence) ?? [];
  const reason = wordsOf(what, t);
  if (reason === undefined) return sentence;
  return at === undefined
    ? reason
    : t('script.patterns.reason.at', {
        reason,
        at: pattern === undefined ? at : characterAt(pattern, Number(at)),
      });
}

const encoder = new TextEncoder();

/** The number of the character with this byte, both from 1: the trainer counts bytes, of which a Chinese character has three. */
function characterAt(pattern: string, byte: number): number {
  let end = 0;
  let number = 0;
  for (const character of pattern) {
    number += 1;
    end += encoder.encode(character).length;
    if (end >= byte) return number;
  }
  // Behind the last one, where something is missing.
  return number + byte - end;
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
