/** The place of the user's own code that a Python traceback names. Pure. */
import { staysBelow } from '../../../shared/lab/script-check.ts';

export interface ScriptPlace {
  /** Relative to the script's folder. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

const frame = /File "([^"\n]{1,1024})", line (\d{1,7})/g;
/** Where a node keeps the code of scripts: the copy of a run, and the original by its content. */
const codeFolder = /^.*\/\.ringlab\/(?:runs\/[^/]+\/code|code\/[^/]+)\//;

/** The innermost one: the last of a traceback that is no library's. */
export function scriptPlace(texts: readonly string[]): ScriptPlace | undefined {
  let found: ScriptPlace | undefined;
  for (const text of texts)
    for (const [, path = '', line] of text.matchAll(frame)) {
      const file = path.replace(codeFolder, '').replace(/^\.\//, '');
      if (staysBelow(file) && /\.pyw?$/.test(file)) found = { file, line: Number(line) };
    }
  return found;
}
