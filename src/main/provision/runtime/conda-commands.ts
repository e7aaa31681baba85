/** Builds the commands that create a conda environment from a lock. */
import { shellQuote } from '../../ssh/index.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { lockHash, type Lock } from './lock.ts';
import { mambaCall } from './micromamba.ts';

/** Written when the environment is complete. */
export const mark = '.ringlab-lock';

export interface CreateCommands {
  readonly list: string;
  readonly settings: string;
  /** An existing folder that is not an environment is refused; settings are written into it afterwards. */
  readonly create: string;
  readonly clear: string;
  readonly note: string;
}

/** The commands that create an environment at `prefix`, for plan and execution. */
export function createCommands(
  program: string,
  facts: NodeFacts,
  lock: Lock,
  prefix: string,
): CreateCommands {
  const [to, list, settings] = [prefix, `${prefix}.txt`, `${prefix}.mambarc`].map(shellQuote);
  return {
    list: `${prefix}.txt`,
    settings: `${prefix}.mambarc`,
    create: `rm -rf ${to} && ${mambaCall(program, facts)} create -y -p ${to} --rc-file ${settings} -f ${list} && cp ${settings} ${to}/.mambarc`,
    clear: `rm -f ${list} ${settings}`,
    note: `echo ${lockHash(lock)} > ${shellQuote(`${prefix}/${mark}`)}`,
  };
}
