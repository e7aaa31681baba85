/** Generates the POSIX shell text that starts, supervises, signals and looks at a process on a node. */
import { processFunctions, shellQuote } from '../../ssh/index.ts';
import { neighbourScript } from '../record/neighbours.ts';
import type { LaunchOrder } from '../record/launcher.ts';
import type { SshProcess } from './ssh-process.ts';

/**
 * The launcher, stored beside the rank as `launch.sh`: starts the command, writes its process to `pid`, waits, and
 * renames `exit.json` into place. It ignores the signals of a closing session, but its child does not.
 */
function launchScript(order: LaunchOrder, bootIdFile: string): string {
  const assignments = Object.entries(order.env).map(([name, value]) => shellQuote(`${name}=${value}`));
  const plain = ['env', ...assignments, ...order.argv.map(shellQuote)].join(' ');
  // `exec`: the process that is waited for is the command's own.
  const command =
    order.workingDirectory === undefined
      ? plain
      : `( cd ${shellQuote(order.workingDirectory)} && exec ${plain} )`;
  return `#!/bin/sh
# Written by Ringlab: starts ${order.label}, waits for it, and leaves how it ended in exit.json.
cd ${shellQuote(order.directory)} || exit 1
trap : HUP INT TERM
${processFunctions(bootIdFile)}
oom_kills() {
  group=$(sed -n 's/^0:://p' /proc/self/cgroup 2>/dev/null)
  sed -n 's/^oom_kill //p' "/sys/fs/cgroup$group/memory.events" 2>/dev/null
}
put() {
  tries=0
  until { printf '%s\\n' "$2" >"$1.tmp" && mv -f "$1.tmp" "$1"; } 2>/dev/null; do
    tries=$((tries + 1)); [ "$tries" -ge 60 ] && return 1
    sleep 1
  done
}
${order.variables === undefined ? '' : takeVariables(order.variables.file)}before=$(oom_kills)
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
oom=false
if [ "$code" -eq 137 ]; then
  after=$(oom_kills)
  [ "\${after:-0}" -gt "\${before:-0}" ] && oom=true
  dmesg 2>/dev/null | tail -n 200 | grep -q "[Kk]illed process $child " && oom=true
fi
${order.secret === undefined ? '' : `rm -f ${shellQuote(order.secret.file)}\n`}if [ "$code" -gt 128 ]; then how="\\"code\\":null,\\"signal\\":$((code - 128))"; else how="\\"code\\":$code,\\"signal\\":null"; fi
put exit.json "{$how,\\"t\\":$(date +%s),\\"attempt\\":${order.attempt},\\"oom\\":$oom}"
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

/** In the launcher: the variables become its own, and its child's. */
const takeVariables = (file: string): string => `. ./${shellQuote(file)} || exit 1
rm -f ${shellQuote(file)}
`;

/**
 * Run on the node to start an order: writes its files, starts the launcher in its own session, waits for `pid` and
 * prints it. Idempotent: prints the existing `pid` where this attempt was started already; ends a process of an
 * earlier attempt.
 */
export function startScript(order: LaunchOrder, bootIdFile: string): string {
  const described = JSON.stringify({
    version: 1,
    attempt: order.attempt,
    argv: order.argv,
    env: order.env,
    directory: order.directory,
  });
  const launcher = order.enter === undefined ? 'sh ./launch.sh' : `${order.enter} sh ./launch.sh`;
  return `${processFunctions(bootIdFile)}
mkdir -p ${shellQuote(order.directory)} && cd ${shellQuote(order.directory)} || exit 1
if [ -s pid ]; then
  [ "$(field attempt pid)" = ${order.attempt} ] && { cat pid; exit 0; }
  old=$(field pid pid) old_boot=$(field boot_id pid) old_ticks=$(field start_ticks pid) tries=0
  while same_process "$old" "$old_boot" "$old_ticks"; do
    [ "$tries" -eq 0 ] && kill -TERM "$old" 2>/dev/null
    [ "$tries" -ge 50 ] && kill -KILL "$old" 2>/dev/null
    tries=$((tries + 1)); sleep 0.1
  done
fi
${order.place === undefined ? '' : neighbourScript(order.place)}
rm -f pid exit.json secret-* || exit 1
${order.secret === undefined ? '' : takeSecret(order.secret)}${order.variables === undefined ? '' : takeSecret(order.variables)}printf '%s\\n' ${shellQuote(described)} >command.json.tmp && mv -f command.json.tmp command.json || exit 1
printf '%s' ${shellQuote(launchScript(order, bootIdFile))} >launch.sh.tmp && mv -f launch.sh.tmp launch.sh || exit 1
if command -v setsid >/dev/null 2>&1; then setsid ${launcher} </dev/null >/dev/null 2>&1 &
else nohup ${launcher} </dev/null >/dev/null 2>&1 &
fi
tries=0
while [ ! -s pid ] && [ "$tries" -lt 200 ]; do tries=$((tries + 1)); sleep 0.05; done
cat pid
`;
}

/** Prints the processes below one, which cannot pass a SIGKILL on: an elastic agent's workers, a loader's. */
const descendantsFunction = `descendants() {
  for stat in /proc/[0-9]*/stat; do
    IFS= read -r line <"$stat" || continue
    child=\${line%% *} rest=\${line##*) }; set -- "$1" $rest
    [ "$3" = "$1" ] && { echo "$child"; ( descendants "$child" ); }
  done 2>/dev/null
}`.replaceAll('\\${', '${');

/** Sends a signal to exactly this process, and SIGKILL to those below it, too: exits 1 where it is gone. */
export const signalScript = (process: SshProcess, name: 'TERM' | 'KILL', bootIdFile: string): string =>
  `${processFunctions(bootIdFile)}
${name === 'KILL' ? descendantsFunction : 'descendants() { :; }'}
same_process ${process.pid} ${shellQuote(process.bootId)} ${process.startTicks} || exit 1
below=$(descendants ${process.pid})
kill -${name} ${process.pid} || exit 1
[ -z "$below" ] || kill -${name} $below 2>/dev/null
exit 0
`;

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
