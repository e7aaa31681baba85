/** Keeps the data folder out of the code that is sent to nodes, where it lies in a script's own folder. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The copies of examples' scripts lie below it: in a work tree the rules above a script's folder count for it, too. */
const rules = '/*\n!/scripts/\n';

/** It holds keys of local nodes, and the code of all runs: each run would send that of the runs before once more. */
export async function keepDataOutOfCode(dataFolder: string): Promise<void> {
  // One that is there is left as it is. Where it cannot be written, more is sent than needed.
  await writeFile(join(dataFolder, '.ringlabignore'), rules, { flag: 'wx', mode: 0o600 }).catch(
    () => undefined,
  );
}
