/** The type of request handlers, and the only way to call them: arguments are validated by the request's schema first. */
import type * as z from 'zod';
import { isRequestName, requests, type RequestName, type RequestResult } from '../../shared/contract/api.ts';
import { RinglabError } from '../../shared/base/errors.ts';
import { valueProblem } from '../../shared/i18n/value-problem.ts';

export interface RequestContext {
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
}

export type Handlers = {
  readonly [N in RequestName]: (
    args: z.output<(typeof requests)[N]['args']>,
    context: RequestContext,
  ) => Promise<RequestResult<N>>;
};

/**
 * Runs a request. Rejects with `unknown_request`, `bad_request` (with the path of the first wrong argument), or the
 * handler's error.
 * @param checkResult also validates the handler's result; the result itself is sent unchanged
 */
export async function invoke(
  handlers: Handlers,
  name: string,
  args: unknown,
  context: RequestContext,
  checkResult: boolean,
): Promise<unknown> {
  if (!isRequestName(name)) throw new RinglabError('unknown_request', { name });
  const parsed = requests[name].args.safeParse(args);
  if (!parsed.success) {
    const { path, issue } = firstIssue(parsed.error);
    throw new RinglabError('bad_request', { path, problem: valueProblem(issue) }, { where: name });
  }
  context.signal.throwIfAborted();
  // Handler and schema belong to the same name; TypeScript cannot infer that across the union.
  const handler = handlers[name] as (args: unknown, context: RequestContext) => Promise<unknown>;
  const value = await handler(parsed.data, context);
  if (checkResult) {
    const result = requests[name].result.safeParse(value);
    if (!result.success) {
      const { path, issue } = firstIssue(result.error);
      const detail = `result ${path}: ${issue?.message ?? ''}`;
      throw new RinglabError('internal', {}, { where: name, detail });
    }
  }
  return value;
}

function firstIssue(error: z.ZodError): { path: string; issue: z.ZodError['issues'][number] | undefined } {
  const [issue] = error.issues;
  const path = (issue?.path ?? [])
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
  return { path, issue };
}
