/** Finds the run that a user names: by its id, a unique beginning of it, or its name. */
import type { RunSummary } from '../../../shared/contract/api.ts';
import { notFound, RinglabError } from '../../../shared/base/errors.ts';
import { sayRunProblems } from './run-problems.ts';
import type { Session } from './session.ts';
import { speak } from './speak.ts';

/** Several runs match: the message lists what to type instead. */
export class AmbiguousRun extends Error {}

const described = ({ id, state, name }: RunSummary): string => `  ${id}  ${state.padEnd(11)}  ${name}`;

/**
 * @param fits filters runs of the same name by what the command can apply to
 * @throws AmbiguousRun, `not_found`
 */
export function chooseRun(
  runs: readonly RunSummary[],
  word: string,
  fits: (run: RunSummary) => boolean = () => true,
): RunSummary {
  const exact = runs.find(({ id }) => id === word);
  if (exact !== undefined) return exact;
  const byPrefix = word === '' ? [] : runs.filter(({ id }) => id.startsWith(word));
  const found = byPrefix.length > 0 ? byPrefix : runs.filter(({ name }) => name === word);
  const [only, ...others] = found;
  if (only === undefined) throw notFound('run', word);
  if (others.length === 0) return only;
  const fitting = found.filter(fits);
  if (fitting.length === 1 && fitting[0] !== undefined) return fitting[0];
  const shown = found.slice(0, 10).map(described).join('\n');
  throw new AmbiguousRun(`${speak('cli.ambiguousRun', { word, count: found.length })}\n${shown}`);
}

export async function findRun(
  { api }: Pick<Session, 'api'>,
  word: string,
  fits?: (run: RunSummary) => boolean,
): Promise<RunSummary> {
  try {
    return chooseRun(await api.call('run.list', {}), word, fits);
  } catch (error) {
    // It may be one of those that cannot be opened.
    if (error instanceof RinglabError && error.code === 'not_found') await sayRunProblems(api);
    throw error;
  }
}
