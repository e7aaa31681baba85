/** What the fields of every target have: the target, how it is changed, and what is wrong with it. */
import type { Experiment } from '../../shared/lab/lab.ts';
import type { Where } from '../../shared/lab/where.ts';

export interface WhereProps {
  readonly where: Where | undefined;
  readonly set: (change: Partial<Experiment>, field: string) => void;
  readonly issue: (path: string) => string | undefined;
}
