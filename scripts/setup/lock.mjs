/** A lock for one set-up at a time in a project folder: `npm start` beside `npm test` must not build into the same folders. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from './project.mjs';

const pause = 500;
/** Locks of this process. */
const held = new Set();

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
      writeFileSync(path, `${process.pid} ${startOf(process.pid) ?? ''}`, { flag: 'wx' });
      held.add(path);
      return () => {
        held.delete(path);
        rmSync(path, { force: true });
      };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const owner = ownerOf(path);
    if (owner !== undefined && isAlive(owner, path)) {
      if (!reported)
        say(
          `another set-up runs in this folder (process ${owner.pid}): waiting for it; if that is none, remove ${path}`,
        );
      reported = true;
      await new Promise((resolve) => setTimeout(resolve, pause));
    } else {
      rmSync(path, { force: true });
    }
  }
}

/** @param {string} path @returns {{ pid: number, start: string } | undefined} */
function ownerOf(path) {
  try {
    const [word, start = ''] = readFileSync(path, 'utf8').split(' ');
    const pid = Number(word);
    return Number.isInteger(pid) && pid > 0 ? { pid, start } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * After a reboot, and in the next container, another process may have the id of the one that took the lock, or this one.
 * @param {{ pid: number, start: string }} owner
 * @param {string} path
 */
function isAlive({ pid, start }, path) {
  if (pid === process.pid) return held.has(path);
  const now = startOf(pid);
  if (now !== undefined && start !== '' && now !== start) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** When a process started, in ticks since the boot; undefined where the system does not tell. @param {number} pid */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 22; the name of the program before field 3 may have spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
