/** Generates the POSIX shell text that starts and signals a process on the node that it is run on. */
import { processFunctions, shellQuote } from '../../../ssh/index.ts';
import { neighbourScript } from '../../record/neighbours.ts';
import type { LaunchOrder } from '../../record/launcher.ts';
import { orderFiles, signalledFile } from '../order-files.ts';
import type { SshProcess } from './ssh-process.ts';

/**
 * Run on the node to start an order: writes its files, starts the launcher in its own session, waits for `pid` and
 * prints it. Idempotent: prints the existing `pid` where this attempt was started already; ends a process of an
 * earlier attempt.
 */
export function startScript(order: LaunchOrder, bootIdFile: string): string {
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
${orderFiles(order, bootIdFile)}if command -v setsid >/dev/null 2>&1; then setsid ${launcher} </dev/null >/dev/null 2>&1 &
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

/**
 * Sends a signal to exactly this process, and SIGKILL to those below it, too: exits 1 where it is gone. SIGTERM only once, whoever
 * sends it: a second one ends a trainer before it has saved (native/PROTOCOL.md). What had it is noted in its folder.
 */
export function signalScript(
  process: SshProcess,
  name: 'TERM' | 'KILL',
  directory: string,
  bootIdFile: string,
): string {
  const { pid, bootId, startTicks } = process;
  const isSame = `${processFunctions(bootIdFile)}
same_process ${pid} ${shellQuote(bootId)} ${startTicks} || exit 1`;
  if (name === 'KILL')
    return `${isSame}
${descendantsFunction}
below=$(descendants ${pid})
kill -KILL ${pid} || exit 1
[ -z "$below" ] || kill -KILL $below 2>/dev/null
exit 0
`;
  // Empty: a full disk often still takes it.
  const mark = shellQuote(`${directory}/${signalledFile(pid, startTicks)}`);
  return `${isSame}
[ -e ${mark} ] && exit 0
kill -TERM ${pid} || exit 1
( : >${mark} ) 2>/dev/null
exit 0
`;
}

/**
 * Prints a line for each of these folders in which a process of another attempt than `attempt` still runs. With `asks` each gets
 * SIGTERM first, as above.
 */
export const earlierScript = (
  directories: readonly string[],
  attempt: number,
  asks: boolean,
  bootIdFile: string,
): string => `${processFunctions(bootIdFile)}
earlier() {
  [ -s "$1/pid" ] && [ "$(field attempt "$1/pid")" != ${attempt} ] || return
  pid=$(field pid "$1/pid") begun=$(field start_ticks "$1/pid")
  same_process "$pid" "$(field boot_id "$1/pid")" "$begun" || return
  mark=$1/${signalledFile('$pid', '$begun')}
  ${asks ? '[ -e "$mark" ] || { kill -TERM "$pid" && ( : >"$mark" ) 2>/dev/null; }' : ':'}
  echo runs
}
${directories.map((directory) => `earlier ${shellQuote(directory)}`).join('\n')}
exit 0
`;
