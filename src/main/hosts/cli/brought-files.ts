/** Which files of a results folder Ringlab brought there: others are the user's, and never replaced by what a script wrote. */
import { appendFile, lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** One path a line. It is never sent as code (code/list-files.ts). */
export const broughtRecord = '.ringlab-brought';
/** Of the record: more than 10,000 long paths of some runs. */
const maxRecord = 64 * 1024 ** 2;

export interface Brought {
  /**
   * A name for a file: its own, or one with `ringlab-` before it where a file is there that Ringlab did not bring.
   * @param path below the folder, with slashes
   */
  readonly placeFor: (path: string) => Promise<string>;
  /** Once it is there. */
  readonly add: (path: string) => Promise<void>;
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** @param coming paths of the files that a run brings: no other one gets such a name */
export async function broughtFiles(out: string, coming: Iterable<string>): Promise<Brought> {
  const record = join(out, broughtRecord);
  const size = await stat(record).then(
    (found) => found.size,
    () => 0,
  );
  const brought = new Set(
    size > maxRecord ? [] : (await readFile(record, 'utf8').catch(() => '')).split('\n'),
  );
  // Also where the file system does not distinguish case.
  const taken = new Set([...coming].map((path) => path.toLowerCase()));
  const beside = (path: string): string => path.replace(/[^/]*$/u, (name) => `ringlab-${name}`);
  return {
    async placeFor(path) {
      let place = path;
      while (
        (place !== path && taken.has(place.toLowerCase())) ||
        (!brought.has(place) && (await isThere(join(out, place))))
      )
        place = beside(place);
      return place;
    },
    async add(path) {
      if (brought.has(path)) return;
      brought.add(path);
      // Without it the next run's file comes beside this one, and is not lost.
      await appendFile(record, `${path}\n`).catch(() => undefined);
    },
  };
}
