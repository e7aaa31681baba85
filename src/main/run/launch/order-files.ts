/** Generates the POSIX shell text that writes an order's files into its folder: how it is started and supervised. */
import { processFunctions, shellQuote, sinceBootFunction } from '../../ssh/index.ts';
import type { LineClock } from '../../../shared/node/node-clock.ts';
import type { LaunchOrder } from '../record/launcher.ts';
import { assignmentWord } from './python-path.ts';

/** Begins the line before what another start of a script prints. */
const startMark = '[ringlab] attempt';

/** Where in a log what the last start printed begins; 0 where the script was started once. */
export function afterStart(log: string): number {
  const at = log.lastIndexOf(`\n${startMark} `) + 1;
  const isMarked = at > 0 || log.startsWith(`${startMark} `);
  return isMarked ? log.indexOf('\n', at) + 1 : 0;
}

/** How a launcher differs from starting a process at once where its files lie. */
export interface Supervision {
  /** Names of variables that the shell replaces in arguments and environment: known only where the order starts. */
  readonly replaced?: ReadonlySet<string>;
  /** Shell text before the command. */
  readonly before?: string;
  /** Shell text that succeeds where this is another start of the same attempt. */
  readonly againIf?: string;
  /** The secret and secret variables stay for the next start of the same attempt; the launcher removes them. */
  readonly keepsSecret?: boolean;
  /** PyTorch's elastic agent: it ends with 1 where it had SIGTERM, whatever its workers saved. */
  readonly isAgent?: boolean;
}

/** A word for the shell in which `$NAME` of the given names is replaced, and everything else is literal. */
function wordWith(word: string, replaced: ReadonlySet<string>): string {
  const parts = word.split(/(\$[A-Z_]+)/);
  return parts
    .filter((part, index) => part !== '' || index === 0)
    .map((part) => (part.startsWith('$') && replaced.has(part.slice(1)) ? `"${part}"` : shellQuote(part)))
    .join('');
}

/** Prints Unix seconds as lines are dated. */
function nowFunction(clock: LineClock | undefined): string {
  if (clock === undefined) return 'now() { date +%s; }';
  return `${sinceBootFunction}
now() {
  if [ "$(boot)" = ${shellQuote(clock.bootId)} ] && passed=$(since_boot) && [ -n "$passed" ]; then
    echo $((${Math.round(clock.bootedAt)} + passed / 100))
  else date +%s; fi
}`;
}

/**
 * At the beginning of a line of the log, where there was an earlier start (also one that printed nothing): the collector's steps count anew from here
 * (native/collect/printed/log_reader.cpp). Lines are counted, as a shell drops the zeros in which a log may end after a power cut.
 */
const markStart = (attempt: number): string =>
  `${attempt > 1 ? '' : '[ ! -s log.txt ] || '}{ [ ! -s log.txt ] || [ $(tail -c 1 log.txt | wc -l) -eq 1 ] || echo; echo ${shellQuote(`${startMark} ${attempt}`)}; } >>log.txt\n`;

/**
 * The launcher, stored beside the rank as `launch.sh`: starts the command, writes its process to `pid`, waits, and
 * renames `exit.json` into place. It ignores the signals of a closing session, but its child does not.
 */
function launchScript(order: LaunchOrder, bootIdFile: string, how: Supervision): string {
  const { replaced = new Set<string>(), before = '', keepsSecret = false, isAgent = false } = how;
  const word = (text: string): string => wordWith(text, replaced);
  const mark = `RINGLAB_LAUNCHED=${order.directory}:${order.attempt}:`;
  const assignments = [
    ...Object.entries(order.env).map(([name, value]) => assignmentWord(name, value, word)),
    ...(order.clock === undefined
      ? []
      : [shellQuote(`RINGLAB_CLOCK_ABOUT=${order.clock.bootedAt.toFixed(3)},${order.clock.bootId}`)]),
    shellQuote(mark),
  ];
  // `env` takes a word with an equals sign for a variable, also the path of a program.
  const starter = (argv: readonly string[]): string[] =>
    argv[0]?.includes('=') === true ? ['sh', '-c', `'exec "$@"'`, 'sh'] : [];
  const line = (argv: readonly string[]): string =>
    ['env', ...assignments, ...starter(argv), ...argv.map(word)].join(' ');
  const plain = line(order.argv);
  // `exec`: the process that is waited for is the command's own.
  const inFolder = order.workingDirectory === undefined ? '' : `cd ${shellQuote(order.workingDirectory)} && `;
  const again =
    order.againArgv === undefined || how.againIf === undefined
      ? ''
      : `${how.againIf} && exec ${line(order.againArgv)}; `;
  const command = inFolder === '' && again === '' ? plain : `( ${again}${inFolder}exec ${plain} )`;
  return `#!/bin/sh
# Written by Ringlab: starts ${order.label}, waits for it, and leaves how it ended in exit.json.
cd ${shellQuote(order.directory)} || exit 1
${isAgent ? "asked=no\ntrap : HUP INT\ntrap 'asked=yes' TERM" : 'trap : HUP INT TERM'}
${processFunctions(bootIdFile)}
${nowFunction(order.clock)}
oom_kills() {
  group=$(sed -n 's/^0:://p' /proc/self/cgroup 2>/dev/null)
  sed -n 's/^oom_kill //p' "/sys/fs/cgroup$group/memory.events" 2>/dev/null
}
# Killed alone, an elastic agent leaves its workers, which have sessions of their own and no parent any more.
end_left() {
  for round in 1 2 3 4 5 6 7 8 9 10; do
    left=
    for file in $(grep -slF ${shellQuote(mark)} /proc/[0-9]*/environ 2>/dev/null); do
      file=\${file#/proc/}; left="$left \${file%/environ}"
    done
    [ -n "$left" ] || return 0
    kill -KILL $left 2>/dev/null
    sleep 0.2
  done
}
put() {
  tries=0
  until { printf '%s\\n' "$2" >"$1.tmp" && mv -f "$1.tmp" "$1"; } 2>/dev/null; do
    tries=$((tries + 1)); [ "$tries" -ge 60 ] && return 1
    sleep 1
  done
}
${order.variables === undefined ? '' : takeVariables(order.variables.file, keepsSecret)}${before}${order.marksStarts === true ? markStart(order.attempt) : ''}before=$(oom_kills)
${command} >>log.txt 2>&1 </dev/null &
child=$!
ticks "$child"
put pid "{\\"pid\\":$child,\\"boot_id\\":\\"$(boot)\\",\\"start_ticks\\":\${started:-0},\\"attempt\\":${order.attempt}}"
while :; do
  wait "$child"; code=$?
  # A signal to this shell ends wait early: the child is still there then.
  [ "$code" -gt 128 ] && kill -0 "$child" 2>/dev/null && continue
  break
done
${isAgent ? '# As one that ended by the signal: the job then starts again.\n[ "$asked" = yes ] && [ "$code" -eq 1 ] && code=143\n' : ''}# The shell says 128 and the number of a signal, of which there are 64; what is above is a code of the process's own, as Python's -1.
signal=0; [ "$code" -gt 128 ] && [ "$code" -le 192 ] && signal=$((code - 128))
[ "$signal" -eq 0 ] || end_left
oom=false
if [ "$code" -eq 137 ]; then
  after=$(oom_kills)
  [ "\${after:-0}" -gt "\${before:-0}" ] && oom=true
  dmesg 2>/dev/null | tail -n 200 | grep -q "[Kk]illed process $child " && oom=true
fi
${order.secret === undefined || keepsSecret ? '' : `rm -f ${shellQuote(order.secret.file)}\n`}if [ "$signal" -gt 0 ]; then how="\\"code\\":null,\\"signal\\":$signal"; else how="\\"code\\":$code,\\"signal\\":null"; fi
put exit.json "{$how,\\"t\\":$(now),\\"attempt\\":${order.attempt},\\"oom\\":$oom}"
`;
}

/**
 * A script is sent over standard input, and so is the secret, which `cat` reads: it is not visible as an argument of
 * a process. Written to a new file, since an existing one would keep its mode.
 */
const takeSecret = ({
  file,
  text,
}: NonNullable<LaunchOrder['secret']>): string => `rm -f ${shellQuote(`${file}.tmp`)}
( umask 077 && cat >${shellQuote(`${file}.tmp`)} && mv -f ${shellQuote(`${file}.tmp`)} ${shellQuote(file)} ) <<'END' || exit 1
${text}
END
`;

/** Writes a file into the present folder: complete, or not at all. */
export const putFile = (name: string, text: string): string =>
  `printf '%s' ${shellQuote(text)} >${name}.tmp && mv -f ${name}.tmp ${name} || exit 1\n`;

/** In the launcher: the variables become its own, and its child's. */
const takeVariables = (file: string, keeps: boolean): string =>
  `. ./${shellQuote(file)} || exit 1\n${keeps ? '' : `rm -f ${shellQuote(file)}\n`}`;

/** In an order's folder once this process was asked to stop; the parts may be a shell's pattern or variables. */
export const signalledFile = (pid: number | string, startTicks: number | string = '*'): string =>
  `signalled-${pid}-${startTicks}`;

/** In an order's folder: writes its files in place of those of an earlier attempt, and the secrets it needs. */
export function orderFiles(order: LaunchOrder, bootIdFile: string, how: Supervision = {}): string {
  const described = JSON.stringify({
    version: 1,
    attempt: order.attempt,
    argv: order.argv,
    env: order.env,
    directory: order.directory,
  });
  return `rm -f pid exit.json ${signalledFile('*')} secret-* || exit 1
${order.secret === undefined ? '' : takeSecret(order.secret)}${order.variables === undefined ? '' : takeSecret(order.variables)}printf '%s\\n' ${shellQuote(described)} >command.json.tmp && mv -f command.json.tmp command.json || exit 1
${putFile('launch.sh', launchScript(order, bootIdFile, how))}`;
}
