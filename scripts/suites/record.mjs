/** Records when each part of `npm run test:full` last passed, and on which commit, in a small file on this machine. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from '../setup/command.mjs';
import { formatSeconds } from '../setup/progress.mjs';
import { cacheFolder, inProject } from '../setup/project.mjs';

/**
 * @typedef {object} Passed
 * @property {string} commit
 * @property {string} at in ISO 8601
 * @property {number} seconds it took
 */

const isPassed = (value) =>
  typeof value?.commit === 'string' && typeof value.at === 'string' && Number.isFinite(value.seconds);

/** @param {string} [path] */
export function createRecord(path = join(cacheFolder, 'test-full.json')) {
  /** @returns {Record<string, Passed>} a file that is missing or damaged holds nothing */
  const read = () => {
    try {
      return Object.fromEntries(
        Object.entries(JSON.parse(readFileSync(path, 'utf8'))).filter(([, value]) => isPassed(value)),
      );
    } catch {
      return {};
    }
  };
  return {
    read,
    /** @param {string} name @param {Passed} passed */
    write(name, passed) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, `${JSON.stringify({ ...read(), [name]: passed }, undefined, 2)}\n`);
      renameSync(`${path}.new`, path);
    },
  };
}

/** The commit that is checked out, with a `+` where files differ from it. */
export async function commitNow() {
  const git = (...args) => runCommand('git', args, { cwd: inProject() });
  const head = await git('rev-parse', '--short', 'HEAD');
  if (head.code !== 0) return 'no commit';
  const changes = await git('status', '--porcelain');
  return `${head.output.trim()}${changes.output.trim() === '' ? '' : '+'}`;
}

/**
 * A line for each part: its result in this run, and when it last passed.
 * @param {readonly string[]} names
 * @param {ReadonlyMap<string, string>} now the results of this run, by name
 * @param {Record<string, Passed>} record
 */
export function recordLines(names, now, record) {
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => {
    const last = record[name];
    const when =
      last === undefined
        ? 'never passed here'
        : `last passed ${last.at.slice(0, 16).replace('T', ' ')} UTC at ${last.commit} in ${formatSeconds(last.seconds)}`;
    return `${name.padEnd(width)}  ${(now.get(name) ?? 'not run').padEnd(14)}  ${when}\n`;
  });
}
