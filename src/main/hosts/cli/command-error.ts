/** Formats a command's errors, with the command that lists valid names, since a terminal shows no list. */
import { errorLines } from '../../../shared/i18n/error-texts.ts';
import type { WireError } from '../../../shared/base/errors.ts';
import { language, speak } from './speak.ts';

/** Kinds of things that a command lists. */
const listed = ['run', 'lab', 'node'] as const;
const isListed = (what: string): what is (typeof listed)[number] =>
  (listed as readonly string[]).includes(what);

/** What happened, what to do next, and the original output. */
export function commandErrorLines(error: WireError): string[] {
  const [message = '', hint = '', ...detail] = errorLines(error, language);
  const { what, id } = error.params;
  if (error.code === 'lab_has_errors') return [message, speak('cli.error.checkLab'), ...detail];
  if (error.code !== 'not_found' || typeof what !== 'string') return [message, hint, ...detail];
  // Nothing is known of another window here, of which the hint speaks.
  if (!isListed(what)) return [message, ...detail];
  const absent = speak('cli.error.absent', { kind: speak(`cli.error.kind.${what}`), id: String(id ?? '') });
  return [
    error.where === undefined ? absent : speak('errorAt', { where: error.where, message: absent }),
    speak(`cli.error.listed.${what}`),
    ...detail,
  ];
}
