/** Public interface of the explanation of slow steps, and of the ranks' speed that it uses. */
export { exchangeRate, slowestRank, speedOf } from './rank-pulse.ts';
export { usePulse } from './use-pulse.ts';
export { WhySlow } from './WhySlow.tsx';
