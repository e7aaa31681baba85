/** Runs suites in parallel lanes, so that one computes while another waits, and shows each suite's output in one piece. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The output of several writers, shown in the order of `names`: the first writer that has not ended is shown live; the
 * output of the others is kept in a file each.
 * @param {readonly string[]} names
 * @param {string} folder of the files, NAME.log; each holds the whole output of one writer
 * @param {(text: string) => void} write
 */
export function inOnePiece(names, folder, write) {
  mkdirSync(folder, { recursive: true });
  const path = (name) => join(folder, `${name}.log`);
  for (const name of names) writeFileSync(path(name), '');
  const ended = new Set();
  let shown = 0;
  return {
    /** @param {string} name @returns {import('./show.mjs').Output} */
    output: (name) => ({
      write(text) {
        appendFileSync(path(name), text);
        if (names[shown] === name) write(text);
      },
    }),
    /** Marks the end of a writer's output. @param {string} name */
    end(name) {
      ended.add(name);
      while (shown < names.length && ended.has(names[shown])) {
        shown += 1;
        if (shown < names.length) write(readFileSync(path(names[shown]), 'utf8'));
      }
    },
  };
}

/**
 * Runs works of different lanes in parallel, those of one lane one after the other.
 * @template Work, Result
 * @param {readonly Work[]} works
 * @param {(work: Work) => number} laneOf
 * @param {(work: Work) => Promise<Result>} run
 * @returns {Promise<Result[]>} in the order of `works`
 */
export async function inLanes(works, laneOf, run) {
  const results = new Map();
  const lanes = [...new Set(works.map(laneOf))];
  await Promise.all(
    lanes.map(async (lane) => {
      for (const work of works) if (laneOf(work) === lane) results.set(work, await run(work));
    }),
  );
  return works.map((work) => results.get(work));
}
