/** Imports and exports labs in the formats of other programs, and exports the files of runs. */
export { toAnsible } from './ansible.ts';
export { pictureOf, pngOf } from './lab-picture.ts';
export { readTopology } from './read-topology.ts';
export { takeRunFile, useRunFiles } from './run-files.tsx';
export { toContainerlab } from './to-containerlab.ts';
