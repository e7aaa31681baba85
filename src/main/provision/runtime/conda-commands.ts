/** Builds the commands that create a conda environment from a lock. */
import { micromambaRoot } from '../../base/node-layout.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { machineTag, takeTurn } from '../node/turn.ts';
import { lockHash, type Lock } from './lock.ts';
import { mambaCall } from './micromamba.ts';

/** Written when the environment is complete. */
export const mark = '.ringlab-lock';

export interface CreateCommands {
  readonly list: string;
  readonly settings: string;
  /**
   * One at a time for all environments of a home, which machines may share. An existing folder that is not an environment is
   * refused; settings are written into it afterwards, and the mark last. What failed is removed.
   */
  readonly create: string;
  readonly clear: string;
}

/** The commands that create an environment at `prefix`, for plan and execution. */
export function createCommands(
  program: string,
  facts: NodeFacts,
  lock: Lock,
  prefix: string,
): CreateCommands {
  const files = `${prefix}-${machineTag(facts)}`;
  const [to, list, settings] = [prefix, `${files}.txt`, `${files}.mambarc`].map(shellQuote);
  return {
    list: `${files}.txt`,
    settings: `${files}.mambarc`,
    create: `to=${to}
${takeTurn(shellQuote(`${micromambaRoot(facts.home)}/.ringlab-turn`))}
ls -a "\${to%/*}" "$to" >/dev/null 2>&1
[ "$(cat "$to/${mark}" 2>/dev/null)" = ${lockHash(lock)} ] && exit 0
rm -rf "$to"
${mambaCall(program, facts)} create -y -p "$to" --rc-file ${settings} -f ${list} && cp ${settings} "$to/.mambarc" && echo ${lockHash(lock)} > "$to/${mark}" && exit 0
code=$?
rm -rf "$to"
exit "$code"`,
    clear: `rm -f ${list} ${settings}`,
  };
}
