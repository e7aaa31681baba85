/** Which scalars a user has chosen as columns: kept on this computer, for each lab. */
import * as z from 'zod';
import { maxValued } from '../../../shared/run/scalar-values.ts';
import { longestScalarName } from '../../../shared/run/run-outputs.ts';
import { keptByLab } from '../../state/index.ts';
import { isScalarColumn, type ScalarColumn } from './scalar-columns.ts';

const Columns = z
  .array(z.string().max(longestScalarName + 10))
  .max(maxValued)
  .transform((columns) => columns.filter(isScalarColumn));
const Choice = z.record(z.string().max(64), Columns).catch({});
type Choice = z.infer<typeof Choice>;

export function readChoice(text: string | null): Choice {
  try {
    return Choice.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}

const choice = keptByLab<readonly ScalarColumn[]>('ringlab.columns', readChoice);

/** Undefined where the user has chosen none. */
export const useColumnChoice = choice.use;

export const chooseColumns = (labId: string, columns: readonly ScalarColumn[]): void =>
  choice.change(labId, () => columns.slice(0, maxValued));
