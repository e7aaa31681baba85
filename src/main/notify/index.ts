/** Public interface of desktop notifications: of runs that end, and of values that pass a limit. */
export { notifyEnds } from './end-notices.ts';
export { notifyPassed } from './value-notices.ts';
