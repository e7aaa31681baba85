/**
 * Validates and escapes text from outside that goes into logs, questions, script comments and commands: no line
 * breaks, no escape sequences to a terminal, and nothing that is parsed as an option.
 */
import * as z from 'zod';

/** C0, DEL, C1, and Unicode's line and paragraph separators. */
const control = String.raw`\p{Cc}\u2028\u2029`;
const noControl = new RegExp(`^[^${control}]*$`, 'u');
const controls = new RegExp(`[\\s${control}]+`, 'gu');
const refused = new RegExp(`[${control}]+`, 'gu');
/** Line breaks and tabs are allowed in descriptions. */
const noControlButBreaks = new RegExp(`^(?:[\\t\\r\\n]|[^${control}])*$`, 'u');

// The messages are codes of `valueProblems` (i18n/value-problem.ts).

/** A name or an address: one line. */
export const oneLine = (max: number) => z.string().max(max).regex(noControl, 'line_break');

/** An argument of a command: a host, a user, a path. */
export const commandWord = (max: number) => oneLine(max).regex(/^(?!\s*-)/, 'leading_dash');

/** Text of several lines. */
export const paragraphs = (max: number) => z.string().max(max).regex(noControlButBreaks, 'control_character');

/**
 * C0 except tab and line feed, DEL, C1, Unicode's line and paragraph separators, and bidirectional controls. Joiners
 * are allowed: emoji and several scripts need them.
 */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Escapes such characters as JSON does (`\\u001b`): visible, and harmless where the text is shown or pasted. */
export const withUnseen = (text: string): string =>
  text.replace(unseen, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The same with line breaks escaped too, for a place that takes one line. */
export const asOneLine = (text: string): string => text.replaceAll(controls, ' ').trim();

/** What is typed or pasted into a line: a space in place of what `oneLine` refuses. Spaces that are typed stay. */
export const typedLine = (text: string): string => text.replaceAll(refused, ' ');

/** The same for several lines: without what `paragraphs` refuses. Unicode's separators are line breaks, too. */
export const typedParagraphs = (text: string): string =>
  text.replaceAll(/[\u2028\u2029]/g, '\n').replaceAll(/(?![\t\r\n])\p{Cc}+/gu, '');

/** Text of a node, as it is shown in one line: its first `max` characters. */
export const shownLine = (max: number) =>
  z
    .string()
    .max(10 * max)
    .transform((text) => withUnseen(asOneLine(text)).slice(0, max));
