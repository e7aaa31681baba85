/** What the user is told of a step that cannot do its work: what failed, and what to do. */
import { fileFailure } from './file-failure.mjs';

/** The error of a set-up step that cannot do its work. */
export class SetupFailure extends Error {
  /**
   * @param {string} what one line: what failed
   * @param {string} remedy what to do about it: commands to type, if there are any
   * @param {string} [output] the last lines of the failed program's output
   */
  constructor(what, remedy, output = '') {
    super(what);
    this.name = 'SetupFailure';
    this.remedy = remedy;
    this.output = output;
  }
}

/** @param {unknown} error */
const explained = (error) => (error instanceof SetupFailure ? error : fileFailure(error));

/** Whether the user can do something about it; otherwise it is a fault of the code. @param {unknown} error */
export const isExplained = (error) => explained(error) !== undefined;

/** @param {unknown} error */
export function describeFailure(error) {
  const failure = explained(error);
  if (failure === undefined) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  const output = (failure.output ?? '').trim();
  return [
    ...(output === '' ? [] : [output, '']),
    `Failed: ${failure.message}`,
    `What to do: ${failure.remedy.replaceAll('\n', '\n  ')}`,
  ].join('\n');
}
