/** A row of results in the table of compared runs. */
import type { RunSummary } from '../../../shared/contract/api.ts';

export interface Result {
  readonly label: string;
  readonly of: (run: RunSummary) => number | undefined;
  readonly format: (value: number) => string;
  /** Left out where it says nothing about any of the runs. */
  readonly optional?: true;
}
