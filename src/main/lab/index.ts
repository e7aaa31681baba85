/** The labs' public face. */
export { createLabs, type Labs } from './labs.ts';
export { readLabFile } from './lab-file.ts';
