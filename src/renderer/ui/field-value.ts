/** Parses a field's text with the document's own schema: a value, or the reason why it is invalid. */
import type { z } from 'zod';

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

/**
 * Parses '0.05', '1e-4' or '.5'; a decimal comma is a point. The schema checks bounds and integers. A number that may be meant in
 * thousands is refused, as a value a thousand times too small would go unnoticed; but '12.345' is a fraction where the field takes
 * fractions, since the field itself writes it so.
 */
export function checkNumber(schema: z.ZodType<number>, text: string): Checked<number> {
  // Digits as Chinese input methods write them in full width are digits.
  const written = text.normalize('NFKC').trim();
  if (written === '') return problem('empty');
  const separator = maybeThousands.exec(written)?.[1];
  if (separator === ',' || (separator === '.' && isWhole(schema))) return problem('notNumber');
  const pointed = written.replace(',', '.');
  if (!numeral.test(pointed)) return problem('notNumber');
  return checkValue(schema, Number(pointed));
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
