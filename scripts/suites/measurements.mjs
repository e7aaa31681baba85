/** The measurements of `npm run bench`: the files in bench/ without exports; the other files are parts of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { inProject } from '../setup/project.mjs';

/** Their names, sorted. */
export const measurements = () =>
  readdirSync(inProject('bench'))
    .filter(
      (file) => file.endsWith('.ts') && !/^export /m.test(readFileSync(inProject('bench', file), 'utf8')),
    )
    .map((file) => file.slice(0, -3))
    .sort();
