/** The error for what cannot be done to a run in its state. */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { inSentence } from '../../i18n/index.ts';

interface More {
  /** The id of a run that may be followed instead. */
  readonly run?: string;
  readonly detail?: string;
}

export const wrongState = (
  { name, state }: Pick<RunRecord, 'name' | 'state'>,
  remedy: Phrase | '',
  { detail, ...more }: More = {},
): RinglabError =>
  new RinglabError('run_wrong_state', { state: inSentence(state), ...more, remedy }, { where: name, detail });
