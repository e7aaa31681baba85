/** Why the collector could not read something, by its English sentence (native/collect): the key of its words. */
import { outputs } from '../../i18n/en/outputs.ts';

type Key = keyof typeof outputs.reasons;

// Object.keys gives the object's own keys as strings.
const keys = new Map(
  Object.keys(outputs.reasons).map((key) => [outputs.reasons[key as Key] as string, key as Key]),
);

/** Undefined for a sentence of another version of the collector, and for what is wrong with a pattern. */
export const reasonKey = (reason: string): Key | undefined => keys.get(reason);
