/** Which scalars a user has chosen as columns: kept on this computer, for each lab. */
import { z } from 'zod';
import { create } from 'zustand';
import { maxValued } from '../../../shared/run/scalar-values.ts';
import { longestScalarName } from '../../../shared/run/run-outputs.ts';
import { isScalarColumn, type ScalarColumn } from './scalar-columns.ts';

/** The newest labs are kept. */
const maxLabs = 100;
const Columns = z
  .array(z.string().max(longestScalarName + 10))
  .max(maxValued)
  .transform((columns) => columns.filter(isScalarColumn));
const Choice = z.record(z.string().max(64), Columns).catch({});
type Choice = z.infer<typeof Choice>;

const key = 'ringlab.columns';

export function readChoice(text: string | null): Choice {
  try {
    return Choice.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}

const useChoiceStore = create<{ readonly labs: Choice }>(() => ({
  labs: readChoice(localStorage.getItem(key)),
}));

/** Undefined where the user has chosen none. */
export const useColumnChoice = (labId: string): readonly ScalarColumn[] | undefined =>
  useChoiceStore(({ labs }) => labs[labId]);

export function chooseColumns(labId: string, columns: readonly ScalarColumn[]): void {
  const { [labId]: _, ...others } = useChoiceStore.getState().labs;
  const labs = Object.fromEntries(
    [...Object.entries(others), [labId, columns.slice(0, maxValued)] as const].slice(-maxLabs),
  );
  useChoiceStore.setState({ labs });
  localStorage.setItem(key, JSON.stringify(labs));
}
