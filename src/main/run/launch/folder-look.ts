/** What a run's folders on a node say about their processes. */
import * as z from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import { processFunctions, shellQuote } from '../../ssh/index.ts';
import type { Exit } from '../record/launcher.ts';
import { phrase } from '../../i18n/index.ts';

/** Maximum number of seconds since 1970 that a clock can plausibly report. */
const latestTime = 1e11;

export const PidFile = z.object({
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

export interface Folder {
  pid?: z.infer<typeof PidFile>;
  exit?: z.infer<typeof ExitFile>;
  process?: { state: string; ticks: number };
}

/** Undefined where the text is not such a file: incomplete or foreign. */
export function readJson<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Prints the state of each folder's process, parsed by `parseSights`. */
export const lookScript = (directories: readonly string[], bootIdFile: string): string =>
  `${processFunctions(bootIdFile)}
look() {
  printf 'folder\\n'
  { IFS= read -r line <"$1/pid" && printf 'pid %s\\n' "$line"; } 2>/dev/null
  # The process before exit.json: seen the other way round, one that ends in between would seem to have vanished.
  ticks "$(field pid "$1/pid")" && printf 'process %s %s\\n' "$state" "$started"
  { IFS= read -r line <"$1/exit.json" && printf 'exit %s\\n' "$line"; } 2>/dev/null
}
printf 'boot %s\\n' "$(boot)"
${directories.map((directory) => `look ${shellQuote(directory)}`).join('\n')}
exit 0
`;

/** The same without processes, which are on other machines: it starts none here, however many folders there are. */
export const filesScript = (directories: readonly string[]): string => `look() {
  printf 'folder\\n'
  { IFS= read -r line <"$1/pid" && printf 'pid %s\\n' "$line"; } 2>/dev/null
  { IFS= read -r line <"$1/exit.json" && printf 'exit %s\\n' "$line"; } 2>/dev/null
}
${directories.map((directory) => `look ${shellQuote(directory)}`).join('\n')}
exit 0
`;

export interface SeenFolders {
  /** Of the machine that looked. */
  readonly boot: string;
  readonly folders: readonly Folder[];
}

/** Parses what `lookScript` or `filesScript` prints. Throws `command_failed` where it is incomplete. */
export function parseFolders(output: string, count: number): SeenFolders {
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
  if (folders.length !== count) {
    throw new RinglabError(
      'command_failed',
      { code: 0, command: phrase('nodeCommands.lookAtRanks') },
      { detail: output },
    );
  }
  return { boot, folders };
}

/** How the process of this attempt ended, if it has. */
export function exitOf({ exit }: Folder, attempt: number): Exit | undefined {
  if (exit === undefined || (exit.attempt ?? attempt) !== attempt) return undefined;
  return { code: exit.code, signal: exit.signal, t: exit.t, outOfMemory: exit.oom ?? false };
}

/** The process that this attempt wrote down, if it has. */
export const processOf = ({ pid }: Folder, attempt: number): Folder['pid'] =>
  (pid?.attempt ?? attempt) === attempt ? pid : undefined;
