/** The bounded end of a rank's log: lines kept, lines dropped, and search. Pure functions. */

import { asTerminalShows } from '../../../shared/base/terminal-line.ts';

/** The maximum number of lines and characters kept; older ones are dropped, and the view shows that. */
const maxLines = 5000;
const maxCharacters = 1_000_000;
/** Bytes that opening a log reads from its end. */
export const tailBytes = 256 * 1024;

export interface LogLine {
  readonly text: string;
  /** When its first bytes arrived on this computer, in Unix seconds; absent where that was not noted. */
  readonly t?: number | undefined;
}

export interface LogTail {
  readonly lines: readonly LogLine[];
  /**
   * The last line as it was written, where it has no newline yet: the next text continues it, and decides what a carriage
   * return or a part of an escape sequence at its end means. Empty where no line is open.
   */
  readonly open: string;
  /** Bytes of the log before the first kept line that are not shown. */
  readonly skippedBytes: number;
  /** Lines that were shown and dropped again. */
  readonly droppedLines: number;
  /** Byte offset to read on from. */
  readonly nextOffset: number;
}

export const emptyTail: LogTail = { lines: [], open: '', skippedBytes: 0, droppedLines: 0, nextOffset: 0 };

export interface LogChunk {
  readonly text: string;
  readonly offset: number;
  readonly nextOffset: number;
  /** From which line of the text on, counted from 0, lines arrived at `t`. */
  readonly arrivals?: readonly { readonly line: number; readonly t: number }[] | undefined;
}

/** A tail that starts with this chunk. If the chunk starts within the log, its incomplete first line is left out. */
export function startTail(chunk: LogChunk): LogTail {
  let { text, arrivals } = chunk;
  let skipped = chunk.offset;
  if (chunk.offset > 0) {
    const end = text.indexOf('\n');
    const torn = end < 0 ? '' : text.slice(0, end + 1);
    skipped += new TextEncoder().encode(torn).length;
    text = text.slice(torn.length);
    if (torn !== '') arrivals = arrivals?.map(({ line, t }) => ({ line: Math.max(0, line - 1), t }));
  }
  return append(
    { ...emptyTail, skippedBytes: skipped, nextOffset: chunk.offset },
    { ...chunk, text, arrivals },
  );
}

/** Appends the next chunk. If `offset` is not `nextOffset`, the tail starts again with this chunk. */
export function append(tail: LogTail, chunk: LogChunk): LogTail {
  if (chunk.offset !== tail.nextOffset) return startTail(chunk);
  if (chunk.text === '') return { ...tail, nextOffset: chunk.nextOffset };
  const parts = chunk.text.split('\n');
  const isOpen = parts.at(-1) !== '';
  if (!isOpen) parts.pop();
  const lines = tail.lines.slice();
  const arrivals = chunk.arrivals ?? [];
  let arrival = 0;
  let t: number | undefined;
  parts.forEach((part, i) => {
    for (; (arrivals[arrival]?.line ?? Infinity) <= i; arrival += 1) t = arrivals[arrival]?.t;
    // A line counts from its first bytes.
    const begun = i === 0 && tail.open !== '' ? lines.pop() : undefined;
    lines.push(
      begun === undefined
        ? { text: asTerminalShows(part), t }
        : { ...begun, text: asTerminalShows(tail.open + part) },
    );
  });
  const last = parts.at(-1) ?? '';
  const open = isOpen ? lastStates(parts.length === 1 ? tail.open + last : last) : '';
  return trim({ ...tail, lines, open, nextOffset: chunk.nextOffset });
}

/** The end of an open line from its last but one state that shows something: the last may be no more than a torn escape sequence. */
function lastStates(line: string): string {
  let seen = 0;
  let end = line.length;
  for (;;) {
    const start = end === 0 ? 0 : line.lastIndexOf('\r', end - 1) + 1;
    if (asTerminalShows(line.slice(start, end)) !== '') seen += 1;
    if (seen === 2 || start === 0) return line.slice(start).slice(-maxCharacters);
    end = start - 1;
  }
}

function trim(tail: LogTail): LogTail {
  let characters = 0;
  let first = tail.lines.length;
  while (first > 0 && tail.lines.length - first < maxLines) {
    characters += (tail.lines[first - 1]?.text.length ?? 0) + 1;
    if (characters > maxCharacters) break;
    first -= 1;
  }
  // A single line above the limit is cut rather than dropped, since it is the only one.
  if (first === tail.lines.length && first > 0) {
    const last = tail.lines.at(-1);
    const cut = { ...last, text: (last?.text ?? '').slice(-maxCharacters) };
    return { ...tail, lines: [cut], droppedLines: tail.droppedLines + first - 1 };
  }
  return first === 0
    ? tail
    : { ...tail, lines: tail.lines.slice(first), droppedLines: tail.droppedLines + first };
}

/** Lines that contain the text, ignoring case; all of them for an empty one. */
export function search(lines: readonly LogLine[], text: string): readonly LogLine[] {
  if (text === '') return lines;
  const term = text.toLowerCase();
  return lines.filter((line) => line.text.toLowerCase().includes(term));
}
