/** One failure that the doctor recognises. */
import type { DiagnosisAction } from '../../../shared/node/diagnosis.ts';
import type { WordKey } from '../../i18n/index.ts';

/** Each has its cause and remedy in the dictionaries. */
type Code = WordKey extends infer Key ? (Key extends `diagnoses.${infer Name}.cause` ? Name : never) : never;

export interface Diagnosis {
  /** `subject.failure`; never reused for another failure. */
  readonly code: Code;
  /**
   * Any of them in the output means this failure. They are matched against each line without colours, in capitals or not; named groups
   * are available in texts as `{{name}}`.
   */
  readonly patterns: readonly RegExp[];
  /** Failures that this one only follows from: beside any of them it is not reported. `any`: beside any other failure. */
  readonly followsFrom?: readonly Code[] | 'any';
  /** A safe action of the app, offered as a button. */
  readonly action?: DiagnosisAction;
}
