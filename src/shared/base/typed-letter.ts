/** Which Latin letter a key stands for, on keyboards of every script. */

export interface TypedKey {
  /** What is typed, and the key's position, as the events of browsers have them. */
  readonly key: string;
  readonly code: string;
}

/** Whether a key types a letter of a script that is not Latin; marks are vowels in the scripts of India and Thailand. */
export const typesOtherScript = ({ key }: Pick<TypedKey, 'key'>): boolean =>
  /^(?:(?!\p{Script=Latin})[\p{L}\p{M}])+$/u.test(key);

/**
 * The letter as it is typed; by its position on a keyboard for English where another script is typed, as its users expect. Latin
 * layouts, such as Dvorak and AZERTY, have letters at other positions.
 */
export const isTyped = (letter: string, event: TypedKey): boolean =>
  event.key.toLowerCase() === letter.toLowerCase() ||
  (event.code === `Key${letter.toUpperCase()}` && typesOtherScript(event));
