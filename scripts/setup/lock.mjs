/** A lock for one set-up at a time in a project folder: `npm start` beside `npm test` must not build into the same folders. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from './project.mjs';

const pause = 500;

/**
 * Waits while another live process holds the lock; the lock of a dead process is taken over.
 * @param {(text: string) => void} say called once if it must wait
 * @param {string} [path]
 * @returns {Promise<() => void>} a function that releases it
 */
export async function takeLock(say, path = join(cacheFolder, 'setup.lock')) {
  mkdirSync(dirname(path), { recursive: true });
  for (let reported = false; ;) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const owner = ownerOf(path);
    if (owner !== undefined && isAlive(owner)) {
      if (!reported) say(`another set-up runs in this folder (process ${owner}): waiting for it`);
      reported = true;
      await new Promise((resolve) => setTimeout(resolve, pause));
    } else {
      rmSync(path, { force: true });
    }
  }
}

function ownerOf(path) {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
