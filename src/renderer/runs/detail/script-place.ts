/** The place of the user's own code that a Python traceback names. Pure. */
import { beforeCode } from '../../../shared/base/node-folder.ts';
import { staysBelow } from '../../../shared/lab/script-check.ts';

export interface ScriptPlace {
  /** Relative to the script's folder. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

const frame = /File "([^"\n]{1,1024})", line (\d{1,7})/g;

/** The innermost one: the last of a traceback that is no library's. */
export function scriptPlace(texts: readonly string[]): ScriptPlace | undefined {
  let found: ScriptPlace | undefined;
  for (const text of texts)
    for (const [, path = '', line] of text.matchAll(frame)) {
      const file = path.replace(beforeCode, '').replace(/^\.\//, '');
      if (staysBelow(file) && /\.pyw?$/.test(file)) found = { file, line: Number(line) };
    }
  return found;
}
