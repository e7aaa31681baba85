/** What the doctor knows of one failure. */
import type { DiagnosisAction } from '../../../shared/node/diagnosis.ts';
import type { WordKey } from '../../i18n/index.ts';

/** Each has its cause and remedy in the dictionaries. */
type Code = WordKey extends infer Key ? (Key extends `diagnoses.${infer Name}.cause` ? Name : never) : never;

export interface Diagnosis {
  /** `subject.failure`; never reused for another failure. */
  readonly code: Code;
  /**
   * Any of them in the output means this failure. They are tried against each line, without its colours; what a group
   * with a name catches stands in the words as `{{name}}`.
   */
  readonly patterns: readonly RegExp[];
  /** What the app can do by itself, safely; offered as a button. */
  readonly action?: DiagnosisAction;
}
