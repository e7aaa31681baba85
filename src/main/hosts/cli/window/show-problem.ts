/** Shows why the app cannot start where no terminal does: started from its desktop entry, it would just not appear. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { showPlace } from '../show-place.ts';
import { folderOfDefault } from './opener-folder.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const problemPage = (lines: readonly string[]): string =>
  `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Ringlab</title>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em">
<h1>Ringlab</h1>
${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}
`;

/** In the default browser, from a folder of its own: the data folder may be what cannot be used. Never rejects. */
export async function showProblem(lines: readonly string[]): Promise<void> {
  try {
    const folder = await mkdtemp(join((await folderOfDefault()) ?? tmpdir(), 'ringlab-problem-'));
    const path = join(folder, 'ringlab.html');
    await writeFile(path, problemPage(lines), { mode: 0o600, flag: 'wx' });
    await showPlace(path);
  } catch {
    // No desktop either: the lines are on standard error.
  }
}
