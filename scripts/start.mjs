/** `npm start`: sets up, then opens the window: in Electron if it can run, else in an app window of the browser. */
import { fetchElectron, hasDisplay } from './setup/electron.mjs';
import { handOver, ringlab } from './setup/hand-over.mjs';
import { main, setUp } from './setup/index.mjs';
import { createProgress } from './setup/progress.mjs';
import { root } from './setup/project.mjs';

const args = process.argv.slice(2);
const wantsWeb = args.includes('--web');

await main(async () => {
  const { node } = await setUp({ lenient: true, purpose: 'app' });
  const rest = args.filter((arg) => arg !== '--web');
  const electron = !wantsWeb && hasDisplay() ? await fetchElectron(node, createProgress()) : undefined;
  if (electron === undefined) return ringlab(node, [wantsWeb || !hasDisplay() ? 'serve' : 'app', ...rest]);
  // Chromium's sandbox refuses to run as root, and other users must not run without it. The app reports this.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return handOver(electron, [...asRoot, root, ...rest]);
});
