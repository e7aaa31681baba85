/**
 * The secret of one start of a run: with it the ranks prove to each other that they belong together (native/PROTOCOL.md, 'The
 * store'). It is made here and goes to the nodes within a script, which is no argument of any process there; it lies in a file
 * of mode 600 while the rank lives. This computer keeps it in memory alone, while it starts the ranks: whoever takes over a
 * running run needs none.
 */
import { randomBytes } from 'node:crypto';

/** 64 hexadecimal digits. */
export const newRunSecret = (): string => randomBytes(32).toString('hex');

/** Each start has a file of its own, so that the end of an earlier one does not take along the next one's. */
export const secretFileOf = (attempt: number): string => `secret-${attempt}`;
