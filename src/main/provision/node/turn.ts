/** Keeps preparations that work on the same files of a node apart, also those of machines that share a home. */
import { basename, dirname } from 'node:path/posix';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { hashText } from '../../transfer/index.ts';
import { shellQuote } from '../../ssh/index.ts';

/** Tells machines that share a home apart. */
export const machineTag = ({ hostname }: Pick<NodeFacts, 'hostname'>): string =>
  hashText(hostname).slice(0, 8);

/**
 * Waits until no other command holds the lock `file`; it is held until the script ends. Among machines with one home the kernel
 * keeps it as well as it can: where it cannot, `own` becomes a suffix for files of this machine's own.
 * Processes that outlive the script must close descriptor 9.
 * @param file shell text; its folder is created
 */
export const takeTurn = (file: string): string => `lock=${file} own=
mkdir -p "$(dirname "$lock")" && exec 9>>"$lock" || exit 1
if ! flock -n 9 2>/dev/null; then
  command -v flock >/dev/null 2>&1 && echo 'waiting for another command that works on the same files'
  flock 9 2>/dev/null || own=.$(uname -n)
fi
# In a home on NFS what another machine has just made shows when the folder is read anew.
ls -a "$(dirname "$lock")" >/dev/null 2>&1`;

/** The lock of what is being made at `path`. */
export const turnFor = (path: string): string => shellQuote(`${dirname(path)}/.${basename(path)}.turn`);
