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
export const oneLine = (most: number) => z.string().max(most).regex(noControl, controlProblem);

/** What becomes a word of a command: a host, a user, a path. */
export const commandWord = (most: number) => oneLine(most).regex(/^(?!\s*-)/, 'begins with -');

/** Several lines. */
export const paragraphs = (most: number) =>
  z.string().max(most).regex(noControlButBreaks, 'has a control character');

/** For a place that takes one line, whatever the text is. */
export const asOneLine = (text: string): string => text.replaceAll(controls, ' ').trim();
