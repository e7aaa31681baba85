/** Checks whether Electron can show a window here: its binary, which npm does not install, and a display. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.mjs';
import { inProject } from './project.mjs';
import { createStamp } from './stamp.mjs';

const folder = inProject('node_modules', 'electron');
/** The time-out of the download in milliseconds: on slow or closed networks the web host is used instead. */
const patience = 90_000;
/** A failed download is retried after a day, not at each start. */
const retryAfter = 24 * 60 * 60_000;

/** The path of Electron's program, if it was downloaded. @returns {string | undefined} */
function electronBinary() {
  try {
    const place = process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(folder, 'dist');
    const path = join(place, readFileSync(join(folder, 'path.txt'), 'utf8').trim());
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** @param {NodeJS.Platform} platform @param {NodeJS.ProcessEnv} env */
export function hasDisplay(platform = process.platform, env = process.env) {
  if (platform !== 'linux') return true;
  return [env.DISPLAY, env.WAYLAND_DISPLAY].some((name) => name !== undefined && name !== '');
}

/**
 * @param {string} node
 * @param {import('./progress.mjs').Progress} progress
 * @returns {Promise<string | undefined>} undefined if it is not available now
 */
export async function fetchElectron(node, progress) {
  const present = electronBinary();
  if (present !== undefined) return present;
  const failed = createStamp('electron-not-to-be-had', []);
  const version = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
  const period = `${version} ${Math.floor(Date.now() / retryAfter)}`;
  if (failed.holds(period)) return undefined;
  await progress.step('looking for Electron’s binary', async (step) => {
    step.now('downloading, about 110 MB');
    const { code } = await runCommand(node, [join(folder, 'install.js')], { timeout: patience });
    if (code === 0) return;
    failed.write(period);
    step.say(
      code === 124
        ? `the download takes more than ${patience / 1000} s; \`node node_modules/electron/install.js\` does it at leisure`
        : 'its binary cannot be downloaded here (ELECTRON_MIRROR names another place); the browser shows the same app',
    );
  });
  return electronBinary();
}
