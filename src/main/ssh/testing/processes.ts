/** For tests: finds and ends processes that a test started, through /proc, so that no others are affected. */
import { readFileSync, readdirSync } from 'node:fs';

const parentOf = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
};

/** Every living descendant of a process. */
export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(Number(name));
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  const queue = [...(children.get(pid) ?? [])];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    found.push(next);
    queue.push(...(children.get(next) ?? []));
  }
  return found;
}

/**
 * Ends a process at once. Throws where `pid` is invalid: a file that is not yet written reads as 0, and a signal to 0
 * goes to the whole group, which is all tests and their runner.
 */
export function endProcess(pid: unknown): void {
  const number = Number(pid);
  if (!Number.isSafeInteger(number) || number <= 1)
    throw new Error(`'${String(pid)}' is no process of a test`);
  process.kill(number, 'SIGKILL');
}

/** Ends the process group of a detached child. */
export function endGroup({ pid }: { readonly pid?: number | undefined }): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Whether a process is running. A zombie is not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}
