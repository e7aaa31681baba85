/** Why something failed, for the `reason` of an error: our own words in both languages, others' as they are. */
import { RinglabError, toWireError } from '../../shared/base/errors.ts';
import { inEveryLanguage, type Line } from '../../shared/base/phrase.ts';
import { describeError } from '../../shared/i18n/error-texts.ts';

/** An error of our own whose words users read; its message is the English ones. */
export class WordedError extends Error {
  readonly reason: Line;

  constructor(reason: Line, options?: ErrorOptions) {
    super(typeof reason === 'string' ? reason : reason.en, options);
    this.reason = reason;
  }
}

/** Any error as a part of another text. */
export function reasonOf(error: unknown): Line {
  if (error instanceof WordedError) return error.reason;
  if (!(error instanceof RinglabError)) return error instanceof Error ? error.message : String(error);
  const wire = toWireError(error);
  return inEveryLanguage((language) => describeError(wire, language).message);
}
