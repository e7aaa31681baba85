/** Parses the lines that `lookScript` prints about a node's run folders. Pure. */
import { z } from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { StartedProcess } from '../../../shared/run/run.ts';
import type { Sight } from '../record/launcher.ts';
import { startedProcess } from './ssh-process.ts';

/** Maximum number of seconds since 1970 that a clock can plausibly report. */
const latestTime = 1e11;

const PidFile = z.object({
  pid: z.number().int().positive(),
  boot_id: z.string().max(128),
  start_ticks: z.number().int().nonnegative(),
  attempt: z.number().int().positive().optional(),
});

const ExitFile = z.object({
  code: z.number().int().min(0).max(255).nullable(),
  signal: z.number().int().min(0).max(255).nullable(),
  t: z.number().min(0).max(latestTime),
  attempt: z.number().int().positive().optional(),
  oom: z.boolean().optional(),
});

interface Folder {
  pid?: z.infer<typeof PidFile>;
  exit?: z.infer<typeof ExitFile>;
  process?: { state: string; ticks: number };
}

/** Undefined where the text is not such a file: incomplete or foreign. */
function readJson<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Parses a `pid` file. Throws `command_failed` where it is invalid. */
export function parseProcess(text: string, label: string): StartedProcess {
  const pid = readJson(PidFile, text.trim());
  if (pid === undefined) {
    throw new RinglabError('command_failed', { code: 0, command: `start ${label}` }, { detail: text });
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
  let boot = '';
  const folders: Folder[] = [];
  for (const line of output.split('\n')) {
    const [word = ''] = line.split(' ', 1);
    const rest = line.slice(word.length + 1);
    const folder = folders.at(-1);
    if (word === 'boot') boot = rest;
    else if (word === 'folder') folders.push({});
    else if (folder === undefined) continue;
    else if (word === 'pid') Object.assign(folder, { pid: readJson(PidFile, rest) });
    else if (word === 'exit') Object.assign(folder, { exit: readJson(ExitFile, rest) });
    else if (word === 'process') {
      const [state = '', ticks = ''] = rest.split(' ');
      folder.process = { state, ticks: Number(ticks) };
    }
  }
  if (folders.length !== attempts.length) {
    throw new RinglabError('command_failed', { code: 0, command: 'look at the ranks' }, { detail: output });
  }
  return folders.map((folder, index) => sightOf(folder, boot, attempts[index] ?? 1));
}

function sightOf(folder: Folder, boot: string, attempt: number): Sight {
  const pid = (folder.pid?.attempt ?? attempt) === attempt ? folder.pid : undefined;
  const exit = (folder.exit?.attempt ?? attempt) === attempt ? folder.exit : undefined;
  if (exit !== undefined) {
    return {
      state: 'exited',
      exit: { code: exit.code, signal: exit.signal, t: exit.t, outOfMemory: exit.oom ?? false },
      process: pid === undefined ? undefined : identity(pid),
    };
  }
  if (pid === undefined) return { state: 'absent' };
  const process = identity(pid);
  if (boot !== '' && boot !== pid.boot_id) return { state: 'rebooted', process };
  const seen = folder.process;
  const alive =
    seen !== undefined && seen.ticks === pid.start_ticks && seen.state !== 'Z' && seen.state !== 'X';
  return { state: alive ? 'alive' : 'vanished', process };
}
