/** Public interface of the lab service. */
export { checkHere, type ThisComputer } from './check-here.ts';
export { createLabs, type Labs } from './labs.ts';
export { readLabFile } from './lab-file.ts';
export { createScriptFiles } from './script-files.ts';
