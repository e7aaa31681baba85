/** `npm start`: sets up, then opens the window: in Electron if it can run, else in an app window of the browser. */
import { asRootLine, shellQuoted } from './setup/as-root.mjs';
import {
  canIsolate,
  failedToStart,
  fetchElectron,
  hasDisplay,
  installerLine,
  sandboxHelper,
} from './setup/electron.mjs';
import { handOver, ringlab } from './setup/hand-over.mjs';
import { main, setUp } from './setup/index.mjs';
import { createProgress } from './setup/progress.mjs';
import { root } from './setup/project.mjs';

const args = process.argv.slice(2);
const wantsWeb = args.includes('--web');

await main(async () => {
  const { node } = await setUp({ lenient: true, purpose: 'app' });
  const rest = args.filter((arg) => arg !== '--web');
  if (wantsWeb || !hasDisplay()) return ringlab(node, ['serve', ...rest]);
  const progress = createProgress();
  const inBrowser = () => ringlab(node, ['app', ...rest]);
  if (!canIsolate()) {
    const helper = shellQuoted(sandboxHelper());
    const toRoot = asRootLine([`chown root:root ${helper}`, `chmod 4755 ${helper}`], { between: ' && ' });
    progress.say(
      'this system gives users no namespaces, which Electron isolates its pages with: the window opens in the browser. ' +
        `For Electron’s own: ${installerLine()} && ${toRoot}`,
    );
    return inBrowser();
  }
  const electron = await fetchElectron(node, progress);
  if (electron === undefined) return inBrowser();
  // Chromium's sandbox refuses to run as root, and other users must not run without it. The app reports this.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const began = performance.now();
  // Relative paths on the command line refer to the folder where the user typed them.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const code = await handOver(electron, [...asRoot, root, ...rest], { cwd });
  if (!failedToStart(code, (performance.now() - began) / 1000)) return code;
  progress.say('Electron cannot start here: the window opens in the browser');
  return inBrowser();
});
