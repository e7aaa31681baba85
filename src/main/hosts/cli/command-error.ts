/** What a command says where it fails: in a terminal there is no list beside it to look at. */
import { errorLines } from '../../../shared/i18n/error-texts.ts';
import type { WireError } from '../../../shared/base/errors.ts';

/** Which command lists the things of a kind. */
const listedBy: Readonly<Record<string, string>> = {
  run: '“ringlab runs” lists the runs of this data folder; --data names another folder.',
  lab: '“ringlab labs” lists the labs of this data folder with their files; --data names another folder.',
  node: '“ringlab check LAB” says what a lab holds.',
};

/** What happened, what to do next, and what the machine said. */
export function commandErrorLines(error: WireError): string[] {
  const [message = '', hint = '', ...detail] = errorLines(error, 'en');
  const { what, id } = error.params;
  if (error.code === 'lab_has_errors')
    return [message, '“ringlab check LAB” says what to correct.', ...detail];
  if (error.code !== 'not_found' || typeof what !== 'string') return [message, hint, ...detail];
  const place = error.where === undefined ? '' : `${error.where}: `;
  const listed = Object.hasOwn(listedBy, what) ? listedBy[what] : undefined;
  return [
    `${place}there is no ${what} “${String(id ?? '')}”.`,
    ...(listed === undefined ? [] : [listed]),
    ...detail,
  ];
}
