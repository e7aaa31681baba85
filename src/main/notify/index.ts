/** Desktop notifications. */
export { tellEnds } from './end-notices.ts';
export { tellPassed } from './value-notices.ts';
