/** What the doctor knows of one failure. */
import type { Phrase } from '../../../shared/base/phrase.ts';
import type { DiagnosisAction } from '../../../shared/node/diagnosis.ts';

export interface Diagnosis {
  /** `subject.failure`; never reused for another failure. */
  readonly code: string;
  /**
   * Any of them in the output means this failure. They are tried against each line, without its colours; what a group
   * with a name catches stands in the words as `{name}`.
   */
  readonly patterns: readonly RegExp[];
  readonly cause: Phrase;
  readonly remedy: Phrase;
  /** What the app can do by itself, safely; offered as a button. */
  readonly action?: DiagnosisAction;
}
