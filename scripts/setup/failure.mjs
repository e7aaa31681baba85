/** The error of a set-up step that cannot do its work: what failed, and what the user can do. */
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
export function describeFailure(error) {
  if (!(error instanceof SetupFailure))
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  const output = error.output.trim();
  return [
    ...(output === '' ? [] : [output, '']),
    `Failed: ${error.message}`,
    `What to do: ${error.remedy.replaceAll('\n', '\n  ')}`,
  ].join('\n');
}
