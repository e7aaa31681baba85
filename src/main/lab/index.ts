/** The labs' public face. */
export { createLabs, type Labs, type LabsOptions } from './labs.ts';
export { readLabFile } from './lab-file.ts';
