/**
 * Text from outside that stands in logs, questions, comments of scripts and commands: no line break ends what it stands in,
 * no escape sequence reaches a terminal, and no word is taken for an option.
 */
import { z } from 'zod';

/** C0, DEL, C1, and Unicode's two separators of lines. */
const control = String.raw`\p{Cc}\u2028\u2029`;
const noControl = new RegExp(`^[^${control}]*$`, 'u');
const controls = new RegExp(`[\\s${control}]+`, 'gu');
/** Line breaks and tabs are what a description consists of. */
const noControlButBreaks = new RegExp(`^(?:[\\t\\r\\n]|[^${control}])*$`, 'u');

const controlProblem = 'has a control character, such as a line break';

/** A name or an address: one line. */
export const oneLine = (max: number) => z.string().max(max).regex(noControl, controlProblem);

/** What becomes a word of a command: a host, a user, a path. */
export const commandWord = (max: number) => oneLine(max).regex(/^(?!\s*-)/, 'begins with -');

/** Several lines. */
export const paragraphs = (max: number) =>
  z.string().max(max).regex(noControlButBreaks, 'has a control character');

/**
 * C0 but tab and line feed, DEL, C1, Unicode's two separators of lines, and what turns the direction of text round.
 * Joiners stay: emoji and several scripts need them.
 */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** With such characters as JSON has them (`\\u001b`): seen, and without effect where the text is shown or copied to. */
export const withUnseen = (text: string): string =>
  text.replace(unseen, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** For a place that takes one line, whatever the text is. */
export const asOneLine = (text: string): string => text.replaceAll(controls, ' ').trim();
