/** One handler a request, and the one way in: arguments are parsed by the request's schema before a handler sees them. */
import type { z } from 'zod';
import { isRequestName, requests, type RequestName, type RequestResult } from '../../shared/contract/api.ts';
import { RinglabError } from '../../shared/base/errors.ts';

export interface RequestContext {
  /** Aborted when the client no longer wants the answer, or is gone. */
  readonly signal: AbortSignal;
}

export type Handlers = {
  readonly [N in RequestName]: (
    args: z.output<(typeof requests)[N]['args']>,
    context: RequestContext,
  ) => Promise<RequestResult<N>>;
};

/**
 * Runs a request. Rejects with `unknown_request`, `bad_request` (with the path of the first wrong argument), or what the
 * handler rejects with.
 * @param checkResult also hold the handler to the schema of its result; what is sent is the handler's value either way
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
    const { path, problem } = firstIssue(parsed.error);
    throw new RinglabError('bad_request', { path, problem }, { where: name });
  }
  context.signal.throwIfAborted();
  // Handler and schema belong to the same name; TypeScript cannot see that across the union of all of them.
  const handler = handlers[name] as (args: unknown, context: RequestContext) => Promise<unknown>;
  const value = await handler(parsed.data, context);
  if (checkResult) {
    const result = requests[name].result.safeParse(value);
    if (!result.success) {
      const { path, problem } = firstIssue(result.error);
      throw new RinglabError('internal', {}, { where: name, detail: `result ${path}: ${problem}` });
    }
  }
  return value;
}

function firstIssue(error: z.ZodError): { path: string; problem: string } {
  const issue = error.issues[0];
  const path = (issue?.path ?? [])
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
  return { path, problem: issue?.message ?? '' };
}
