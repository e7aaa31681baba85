/** Desktop notifications. */
export { notifyEnds } from './end-notices.ts';
export { notifyPassed } from './value-notices.ts';
