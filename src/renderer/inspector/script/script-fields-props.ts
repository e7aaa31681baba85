/** What all fields of an own script are given. */
import type { Experiment } from '../../../shared/lab/lab.ts';
import type { Script } from '../../../shared/lab/script.ts';

export interface ScriptFieldsProps {
  readonly experiment: Experiment;
  readonly script: Script;
  readonly issue: (path: string) => string | undefined;
  /** Changes the script as one undo step with the other edits of this field. */
  readonly change: (change: Partial<Script>, field: string) => void;
  readonly set: (change: Partial<Experiment>, field: string) => void;
}
