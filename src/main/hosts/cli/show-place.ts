/** Shows an address or a folder with the program that this computer has for it. */
import { spawn } from 'node:child_process';
import { RinglabError } from '../../../shared/errors.ts';

const hasDesktop = (): boolean =>
  process.platform !== 'linux' ||
  process.env.DISPLAY !== undefined ||
  process.env.WAYLAND_DISPLAY !== undefined;

/** Throws `file_unreadable` where there is no desktop, or no program that shows such a thing. */
export async function showPlace(place: string): Promise<void> {
  const program =
    process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open';
  if (!hasDesktop()) throw new RinglabError('file_unreadable', { path: place, reason: 'no desktop' });
  await new Promise<void>((resolve, reject) => {
    const child = spawn(program, [place], { stdio: 'ignore', detached: true });
    child.once('error', (error) =>
      reject(new RinglabError('file_unreadable', { path: place, reason: error.message }, { cause: error })),
    );
    child.once('spawn', () => resolve());
    child.unref();
  });
}
