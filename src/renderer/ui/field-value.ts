/** Parses a field's text with the document's own schema: a value, or the reason why it is invalid. */
import type * as z from 'zod';

export interface FieldProblem {
  readonly key: 'empty' | 'notNumber' | 'whole' | 'atLeast' | 'above' | 'atMost' | 'tooLong' | 'invalid';
  /** The violated bound; 0 if there is none. */
  readonly params: { readonly limit: number };
}
export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: FieldProblem };

const problem = (key: FieldProblem['key'], params = { limit: 0 }): Checked<never> => ({
  ok: false,
  problem: { key, params },
});

const numeral = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

/** '10,000' or '10.000': ten thousand to some, ten to others. '0,125' cannot be thousands. */
const maybeThousands = /^[+-]?[1-9]\d{0,2}([.,])\d{3}$/;

/** '1 Gbps', '100 Mbit/s' or '64k' in megabits per second, as links are labelled. */
const bitRate = /^([kMG])(bps|bit\/s)?$/i;
/** 'MBps' are bytes, eight times as much; 'MBPS' is 'Mbps' in capitals. */
const byteRate = /Bps$/;
const megabits: Readonly<Record<string, number>> = { k: 0.001, m: 1, g: 1000 };

/** Chinese input methods write digits, signs and letters in full width. NFKC would make '10⁴' 104, too. */
const inHalfWidth = (text: string): string =>
  text.replace(/[\uff01-\uff5e]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0));

/** What a number with this word behind it is to be multiplied by in a field of this unit; undefined if the word is none of its units. */
function factorOf(word: string, unit: string): number | undefined {
  if (byteRate.test(word)) return undefined;
  if (word.toLowerCase() === unit.toLowerCase()) return 1;
  const prefix = unit === 'Mbps' ? bitRate.exec(word)?.[1] : undefined;
  return prefix === undefined ? undefined : megabits[prefix.toLowerCase()];
}

/**
 * Parses '0.05', '1e-4' or '.5'; a decimal comma is a point. The schema checks bounds and integers. A number that may be meant in
 * thousands is refused, as a value a thousand times too small would go unnoticed; but '12.345' is a fraction where the field takes
 * fractions, since the field itself writes it so.
 * @param unit of the field, which may be typed, too
 */
export function checkNumber(schema: z.ZodType<number>, text: string, unit = ''): Checked<number> {
  const all = inHalfWidth(text).trim();
  if (all === '') return problem('empty');
  const word = /[a-z%/]+$/i.exec(all)?.[0] ?? '';
  const factor = word === '' ? 1 : factorOf(word, unit);
  if (factor === undefined) return problem('notNumber');
  const written = all.slice(0, all.length - word.length).trimEnd();
  const separator = maybeThousands.exec(written)?.[1];
  if (separator === ',' || (separator === '.' && isWhole(schema))) return problem('notNumber');
  const pointed = written.replace(',', '.');
  if (!numeral.test(pointed)) return problem('notNumber');
  // Without the digits that a product of decimal fractions adds.
  return checkValue(
    schema,
    factor === 1 ? Number(pointed) : Number((Number(pointed) * factor).toPrecision(12)),
  );
}

/** Whether a field takes no fractions. */
export const isWhole = (schema: z.ZodType<number>): boolean => {
  const parsed = schema.safeParse(0.5);
  return !parsed.success && parsed.error.issues.some((issue) => isNoInteger(issue));
};

const isNoInteger = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'invalid_type' && issue.expected === 'int';

export function checkText(schema: z.ZodType<string>, text: string): Checked<string> {
  return checkValue(schema, text);
}

function checkValue<T>(schema: z.ZodType<T>, value: T): Checked<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const [issue] = parsed.error.issues;
  if (issue?.code === 'too_small') {
    return problem(issue.inclusive === false ? 'above' : 'atLeast', { limit: Number(issue.minimum) });
  }
  if (issue?.code === 'too_big') {
    return problem(issue.origin === 'string' ? 'tooLong' : 'atMost', { limit: Number(issue.maximum) });
  }
  return problem(issue !== undefined && isNoInteger(issue) ? 'whole' : 'invalid');
}
