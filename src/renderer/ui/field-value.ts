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

/** Parses '0.05', '1e-4' or '.5'; a decimal comma is a point. The schema checks bounds and integers. */
export function checkNumber(schema: z.ZodType<number>, text: string): Checked<number> {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return problem('empty');
  if (!numeral.test(trimmed)) return problem('notNumber');
  return checkValue(schema, Number(trimmed));
}

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
  return problem(issue?.code === 'invalid_type' && issue.expected === 'int' ? 'whole' : 'invalid');
}
