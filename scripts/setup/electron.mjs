/** Checks whether Electron can show a window here: its binary, which npm does not install, a display, and Chromium's sandbox. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './command.mjs';
import { inProject } from './project.mjs';
import { createStamp } from './stamp.mjs';

const folder = inProject('node_modules', 'electron');
/** The time-out of the download in milliseconds: on slow or closed networks the web host is used instead. */
const patience = 90_000;
/** A failed download is retried after a day, not at each start. */
const retryAfter = 24 * 60 * 60_000;

/** Its files, once they are downloaded. */
const place = () => process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(folder, 'dist');
/** Chromium's helper, which isolates pages where it is root's. */
export const sandboxHelper = () => join(place(), 'chrome-sandbox');
/** An Electron that cannot start ends within this time, in seconds. */
const soon = 10;

/** The path of Electron's program, if it was downloaded. @returns {string | undefined} */
function electronBinary() {
  try {
    const path = join(place(), readFileSync(join(folder, 'path.txt'), 'utf8').trim());
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
 * Whether Chromium can isolate its pages here: by a namespace of the user's, which Ubuntu 24.04 and hardened kernels refuse, or by
 * its helper. Root's pages are not isolated. Without either Electron aborts at its start.
 * @param {{ platform?: NodeJS.Platform, uid?: number, proc?: string, stat?: typeof statSync }} [system]
 */
export function canIsolate({
  platform = process.platform,
  uid = process.getuid?.(),
  proc = '/proc',
  stat = statSync,
} = {}) {
  if (platform !== 'linux' || uid === 0) return true;
  const helper = stat(sandboxHelper(), { throwIfNoEntry: false });
  if (helper?.uid === 0 && (helper.mode & 0o7777) === 0o4755) return true;
  const setting = (name) => {
    try {
      return readFileSync(join(proc, 'sys', name), 'utf8').trim();
    } catch {
      return undefined;
    }
  };
  return (
    setting('kernel/apparmor_restrict_unprivileged_userns') !== '1' &&
    setting('kernel/unprivileged_userns_clone') !== '0' &&
    setting('user/max_user_namespaces') !== '0'
  );
}

/**
 * Whether Electron ended because it cannot start here: it lacks a library (127), or Chromium aborted.
 * @param {number} code as of `handOver`
 * @param {number} seconds how long it ran
 */
export const failedToStart = (code, seconds) =>
  seconds < soon && [127, 128 + constants.signals.SIGTRAP, 128 + constants.signals.SIGABRT].includes(code);

/**
 * The environment for Electron's installer. It heeds a proxy only if it is told to, and none that is named without `http://`.
 * npm gives its own settings to the scripts that it starts.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {NodeJS.ProcessEnv}
 */
export function installerEnvironment(env = process.env) {
  const first = (...values) => values.find((value) => value !== undefined && value.trim() !== '')?.trim();
  const http = first(env.http_proxy, env.HTTP_PROXY, env.npm_config_proxy);
  const https = first(env.https_proxy, env.HTTPS_PROXY, env.npm_config_https_proxy, http);
  if (https === undefined) return env;
  const address = (proxy) => (proxy.includes('://') ? proxy : `http://${proxy}`);
  // On Windows the names in capitals would be the same variables.
  const others = Object.entries(env).filter(([name]) => !/^(?:https?|no)_proxy$/i.test(name));
  return {
    ELECTRON_GET_USE_PROXY: '1',
    ...Object.fromEntries(others),
    ...(http === undefined ? {} : { http_proxy: address(http) }),
    https_proxy: address(https),
    no_proxy: first(env.no_proxy, env.NO_PROXY, env.npm_config_noproxy) ?? '',
  };
}

/** The line with which a user downloads Electron. @param {NodeJS.ProcessEnv} [env] */
export function installerLine(env = process.env) {
  const proxied = process.platform !== 'win32' && installerEnvironment(env) !== env;
  return `${proxied ? 'ELECTRON_GET_USE_PROXY=1 ' : ''}node node_modules/electron/install.js`;
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
    const { code } = await runCommand(node, [join(folder, 'install.js')], {
      env: installerEnvironment(),
      timeout: patience,
    });
    if (code === 0) return;
    failed.write(period);
    step.say(
      code === 124
        ? `the download takes more than ${patience / 1000} s; \`${installerLine()}\` does it at leisure`
        : 'its binary cannot be downloaded here (ELECTRON_MIRROR names another place, HTTPS_PROXY a proxy); the browser shows the same app',
    );
  });
  return electronBinary();
}
