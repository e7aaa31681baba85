/** PYTHONPATH of an own script's process, and how shell text sets it: where the node's Python is used, in front of what the node has there. */
import type { Runtime } from '../../../shared/lab/runtime.ts';

/** At the end of a PYTHONPATH: what the shell that starts the process has in it, known only there. */
const inherited = '${PYTHONPATH:+:$PYTHONPATH}';

/**
 * Our package, the folder of the module that Python imports at its start (`sitecustomize`), and the user's own. Undefined: as the node
 * has it. A Python that is on the node was looked at with the node's own PYTHONPATH, which may hold its torch; an environment that
 * Ringlab makes was made without it.
 */
export function pythonPath(
  folder: string | undefined,
  own: string | undefined,
  { type }: Runtime,
): string | undefined {
  const ours = folder === undefined ? [] : [folder, `${folder}/ringlab/startup`];
  const path = [...ours, ...(own === undefined || own === '' ? [] : [own])].join(':');
  if (path === '') return undefined;
  const isOnNode = type === 'existing' || type === 'system';
  return isOnNode && own === undefined ? path + inherited : path;
}

/**
 * The word of the shell that sets a variable.
 * @param quote what makes a word literal
 */
export const assignmentWord = (name: string, value: string, quote: (word: string) => string): string =>
  name === 'PYTHONPATH' && value.endsWith(inherited)
    ? `${quote(`${name}=${value.slice(0, -inherited.length)}`)}"${inherited}"`
    : quote(`${name}=${value}`);
