/**
 * Detects ranks of other runs on a machine, whether of another lab, data folder, computer or user, so that a rank is
 * not started on a GPU in use. They are found among the running processes. Pure, except for the shell text.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import { shellQuote } from '../../ssh/index.ts';

/** The resources that a rank will use. */
export interface RankPlace {
  readonly runId: string;
  /** The rendezvous address: a peer of the same run may run there as another user. */
  readonly distUrl: string;
  readonly localRank: number;
  /** GPUs of the node; without any the machine is shared, which is reported. */
  readonly gpus: number;
}

/** Exit code of `neighbourScript` where the GPU is in use. */
export const gpuTaken = 75;
const startLockTries = 300;

/**
 * Shell text to run before a rank's start, in its folder: exits with `gpuTaken` and `busy PID GPU RUN USER` on
 * standard error where another run's rank uses its GPU; prints `shares RUN` there where there is no GPU and another
 * run of this user trains. Holds a lock in the runs' folder until the script ends, so that of two concurrent starts
 * the second sees the first.
 */
export const neighbourScript = (place: RankPlace): string => `
runs=$(cd ../.. && pwd -P)
neighbours() {
  # A pattern that does not match the command that looks for it.
  grep -l '[r]inglab-train' /proc/[0-9]*/cmdline 2>/dev/null | while IFS= read -r file; do
    words=$(tr '\\000' '\\n' <"$file" 2>/dev/null) || continue
    after() { printf '%s\\n' "$words" | sed -n "/^$1\\$/{n;p;q;}"; }
    number=$(after --local-rank)
    case $number in ''|*[!0-9]*|0[0-9]*|????*) continue ;; esac
    [ "$(after --dist-url)" = ${shellQuote(place.distUrl)} ] && continue
    pid=\${file#/proc/} pid=\${pid%/cmdline}
    folder=$(readlink "/proc/$pid/cwd" 2>/dev/null)
    run=\${folder%/rank-*} run=\${run##*/}
    [ "$run" = ${shellQuote(place.runId)} ] && continue
    ${
      place.gpus > 0
        ? `if [ -n "$CUDA_VISIBLE_DEVICES" ]; then
      # Those with other GPUs of the machine count theirs from 0, too. What another user has cannot be read.
      [ -r "/proc/$pid/environ" ] || continue
      theirs=$(tr '\\000' '\\n' <"/proc/$pid/environ" 2>/dev/null | sed -n 's/^CUDA_VISIBLE_DEVICES=//p')
      case $theirs in ''|"$CUDA_VISIBLE_DEVICES") ;; *) continue ;; esac
    fi
    [ "$((number % ${place.gpus}))" -eq ${place.localRank % place.gpus} ] || continue
    printf 'busy %s %s %s %s\\n' "$pid" ${place.localRank % place.gpus} "\${run:--}" "$(ls -ld "/proc/$pid" | { read -r mode links user rest; printf %s "\${user:--}"; })"`
        : `case $folder in "$runs"/*) printf 'shares %s\\n' "$run" ;; esac`
    }
  done
}
${place.gpus > 0 ? lockText : ''}
found=$(neighbours)
[ -n "$found" ] && printf '%s\\n' "$found" >&2
${place.gpus > 0 ? `[ -n "$found" ] && exit ${gpuTaken}` : ''}
`;

// Of each machine its own: another that shares this home knows no process of this one.
const lockText = `
lock="$runs/.starting-$(uname -n)" tries=0
until mkdir "$lock" 2>/dev/null; do
  holder=$(cat "$lock/pid" 2>/dev/null)
  # Left by a start that was cut off.
  [ -n "$holder" ] && [ ! -d "/proc/$holder" ] && rm -rf "$lock"
  tries=$((tries + 1)); [ "$tries" -ge ${startLockTries} ] && break
  sleep 0.1
done
echo $$ >"$lock/pid"
trap 'rm -rf "$lock"' EXIT
`;

const busyLine = /^busy (\d{1,10}) (\d{1,3}) ([A-Za-z0-9_-]{1,64}) ([A-Za-z0-9_.-]{1,32})$/m;
const sharesLine = /^shares ([A-Za-z0-9_-]{1,64})$/gm;

/** The error that names the rank which uses the GPU; undefined where the output has none. */
export function busyError(stderr: string, nodeName: string): RinglabError | undefined {
  const [, pid, gpu, run, user] = busyLine.exec(stderr) ?? [];
  if (pid === undefined || gpu === undefined || run === undefined || user === undefined) return undefined;
  return new RinglabError('gpu_in_use', { gpu, run, pid, user }, { where: nodeName });
}

/** Ids of other runs that train on the machine, without duplicates. */
export const sharedWith = (stderr: string): string[] => [
  ...new Set([...stderr.matchAll(sharesLine)].flatMap(([, run]) => (run === undefined ? [] : [run]))),
];
