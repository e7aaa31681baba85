/** Opens a file or a folder, or a node's files, with this computer's default program. */
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import { asOneLine } from '../../../shared/base/plain-text.ts';
import { phrase } from '../../i18n/index.ts';
import type { Line } from '../../../shared/base/phrase.ts';
import { reasonOf } from '../../base/reason.ts';
import { startProgram } from './start-program.ts';

export const hasDesktop = (): boolean =>
  process.platform !== 'linux' ||
  [process.env.DISPLAY, process.env.WAYLAND_DISPLAY].some((name) => name !== undefined && name !== '');

/**
 * What may be opened: an absolute path of an existing file, or `sftp://user@host:port/`. Other schemes could start
 * arbitrary programs, and '-' would begin an option.
 */
export async function isShowable(place: string): Promise<boolean> {
  if (place.length > 4096 || asOneLine(place) !== place) return false;
  if (isAbsolute(place))
    return stat(place).then(
      () => true,
      () => false,
    );
  if (!/^sftp:\/\/[^\s"'`<>\\]+$/.test(place)) return false;
  const url = URL.parse(place);
  return url !== null && url.hostname !== '' && url.password === '' && url.search === '' && url.hash === '';
}

/** Throws `file_unreadable` without a desktop or a suitable program, or for an invalid place. */
export async function showPlace(place: string): Promise<void> {
  const refuse = (reason: Line, cause?: unknown): RinglabError =>
    new RinglabError('file_unreadable', { path: asOneLine(place), reason }, { cause });
  const program =
    process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open';
  if (!hasDesktop()) throw refuse(phrase('reasons.noDesktop'));
  if (!(await isShowable(place))) throw refuse(phrase('reasons.noPathNorSftp'));
  await startProgram(program, [place]).catch((error: unknown) => {
    throw refuse(reasonOf(error), error);
  });
}
