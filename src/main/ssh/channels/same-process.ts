/** POSIX shell functions that identify a process on a node: by pid, boot id and start time. */
import { shellQuote } from './shell-quote.ts';

/** Shell function `since_boot`. */
export const sinceBootFunction = `# Hundredths of a second since the machine was started, which no clock that is set changes: when this program was started.
since_boot() { cut -d' ' -f22 /proc/self/stat 2>/dev/null; }`;

/**
 * Shell functions: `boot` prints the boot id; `ticks PID` sets `state` and `started` from /proc, or fails; `field
 * NAME FILE` prints a number or string of a one-line JSON file of ours.
 */
export const processFunctions = (bootIdFile: string): string => `
boot() { cat ${shellQuote(bootIdFile)} 2>/dev/null; }
ticks() {
  { IFS= read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
  set -- \${stat##*) }
  state=$1 started=\${20}
}
field() { sed -n "s/^.*\\"$1\\":\\"\\{0,1\\}\\([^,\\"}]*\\).*\\$/\\1/p" "$2" 2>/dev/null; }
same_process() {
  ticks "$1" && [ "$started" = "$3" ] && [ "$(boot)" = "$2" ] && [ "$state" != Z ] && [ "$state" != X ]
}
`;
