/**
 * The secret of one start of a run, with which the ranks authenticate each other (native/PROTOCOL.md, 'The store').
 * Created here and sent to the nodes inside a script, so that it is not an argument of any process; stored in a file
 * of mode 600 while the rank runs. This computer keeps it only in memory while it starts the ranks: a process that
 * adopts a running run does not need it.
 */
import { randomBytes } from 'node:crypto';

/** 64 hexadecimal digits. */
export const newRunSecret = (): string => randomBytes(32).toString('hex');

/** One file for each start, so that the end of an earlier start does not delete the next one's. */
export const secretFileOf = (attempt: number): string => `secret-${attempt}`;
