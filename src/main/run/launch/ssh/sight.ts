/** Parses the lines that `lookScript` prints about the processes of the node that it ran on. Pure. */
import type * as z from 'zod';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { StartedProcess } from '../../../../shared/run/run.ts';
import type { Sight } from '../../record/launcher.ts';
import { exitOf, parseFolders, PidFile, processOf, readJson, type Folder } from '../folder-look.ts';
import { startedProcess } from './ssh-process.ts';
import { phrase } from '../../../i18n/index.ts';

/** Parses a `pid` file. Throws `command_failed` where it is invalid. */
export function parseProcess(text: string, label: string): StartedProcess {
  const pid = readJson(PidFile, text.trim());
  if (pid === undefined) {
    throw new RinglabError(
      'command_failed',
      { code: 0, command: phrase('nodeCommands.start', { what: label }) },
      { detail: text },
    );
  }
  return identity(pid);
}

const identity = (pid: z.infer<typeof PidFile>): StartedProcess =>
  startedProcess({ pid: pid.pid, bootId: pid.boot_id, startTicks: pid.start_ticks });

/**
 * One result for each expected attempt, in the order of the folders. A process counts as alive where its number, boot
 * and start time match the `pid` file and it is not a zombie. Throws `command_failed` on an incomplete answer.
 */
export function parseSights(output: string, attempts: readonly number[]): Sight[] {
  const { boot, folders } = parseFolders(output, attempts.length);
  return folders.map((folder, index) => sightOf(folder, boot, attempts[index] ?? 1));
}

function sightOf(folder: Folder, boot: string, attempt: number): Sight {
  const pid = processOf(folder, attempt);
  const exit = exitOf(folder, attempt);
  if (exit !== undefined)
    return { state: 'exited', exit, process: pid === undefined ? undefined : identity(pid) };
  if (pid === undefined) return { state: 'absent' };
  const process = identity(pid);
  if (boot !== '' && boot !== pid.boot_id) return { state: 'rebooted', process };
  const seen = folder.process;
  const alive =
    seen !== undefined && seen.ticks === pid.start_ticks && seen.state !== 'Z' && seen.state !== 'X';
  return { state: alive ? 'alive' : 'vanished', process };
}
