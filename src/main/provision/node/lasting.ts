/**
 * Runs work that must not be interrupted half-way (apt, dpkg, a driver's installer, micromamba, a download) in its
 * own session, so that it survives the command that started it. Its identity (pid, boot, start time) and its output
 * are in files: the next preparation follows the same process instead of waiting for its lock. A cancelled step stops
 * it where that is safe.
 */
import { randomUUID } from 'node:crypto';
import { installingFolder, ringlabFolder } from '../../base/node-layout.ts';
import { processFunctions, shellQuote, type ExecResult } from '../../ssh/index.ts';
import { hashText } from '../../transfer/index.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { CommandOptions, NodeShell } from './node-shell.ts';
import type { NodeRights } from './rights.ts';
import { machineTag } from './turn.ts';
import type { Line } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';

export interface Lasting {
  /** Only one runs at a time under this name on a machine, for each account. */
  readonly name: string;
  /** The same key means the same work: if it is running and succeeds, nothing is started. Default: the script's hash. */
  readonly key?: string;
  /** `packages`: SIGTERM to apt-get, but not while dpkg or an installer works. `at once`: SIGTERM to all of it. */
  readonly stop: 'packages' | 'at once';
  /** How long a cancelled step waits for dpkg before it leaves it running. */
  readonly waitSeconds?: number;
}

/** For packages and drivers, since dpkg has one lock for both. */
export const systemChange = { name: 'system', stop: 'packages' } as const satisfies Lasting;

const bootIdFile = '/proc/sys/kernel/random/boot_id';
const patience = 60;
const waiting = 'waiting for an earlier installation of Ringlab that still runs here';

interface Folders {
  /**
   * Of its own for each machine: a home on NFS is that of several, and each sees its own processes alone. A reboot ends
   * the work, and empties /run.
   */
  readonly folder: string;
  /** Where versions before 2026-12 had it: their work may still run here. */
  readonly former: string;
}

function foldersOf(facts: NodeFacts, name: string, asRoot: boolean): Folders {
  const { home, root } = facts;
  const former = installingFolder(home, name, asRoot && !root);
  return { former, folder: asRoot && !root ? former : `${former}-${machineTag(facts)}` };
}

/** The supervisor, stored beside the work; replaces `pid` only if no other process has it. */
const supervisor = `#!/bin/sh
# Written by Ringlab: waits for an installation that outlives the connection.
d=$1 key=$2 work=$3
trap : HUP INT TERM
${processFunctions(bootIdFile)}
ticks $$
( umask 077
  : >"$d/out.$$"; : >"$d/err.$$"
  printf '{"pid":%s,"boot_id":"%s","start_ticks":%s,"key":"%s"}\\n' $$ "$(boot)" "\${started:-0}" "$key" >"$d/pid.$$" )
ln "$d/pid.$$" "$d/pid" 2>/dev/null; taken=$?
rm -f "$d/pid.$$"
[ "$taken" = 0 ] || { rm -f "$d/out.$$" "$d/err.$$" "$work" "$0"; exit 1; }
sh "$work" </dev/null >>"$d/out.$$" 2>>"$d/err.$$" &
child=$!
while :; do
  wait "$child"; code=$?
  [ "$code" -gt 128 ] && kill -0 "$child" 2>/dev/null && continue
  break
done
echo "$code" >"$d/exit.$$"
rm -f "$work" "$0"
`;

/** `stop_members PID` ends those processes of the supervisor's session that may be ended now. */
const stopping = (how: Lasting['stop']): string => `
members() {
  all= shells= packages= held=
  for stat_file in /proc/[0-9]*/stat; do
    { IFS= read -r line <"$stat_file"; } 2>/dev/null || continue
    member=\${line%% *} comm=\${line#*"("}; comm=\${comm%")"*}
    set -- \${line##*)}
    [ "$4" = "$session" ] && [ "$member" != "$session" ] && [ "$1" != Z ] || continue
    [ "$2" = "$session" ] && shells="$shells $member"
    all="$all $member"
    case $comm in apt-get) packages=yes;; dpkg*) held=yes;; esac
  done
}
stop_members() {
  session=$1
  members
  [ -n "$all" ] || return
  ${how === 'at once' ? '' : '[ -n "$packages" ] && [ -z "$held" ] || return'}
  # The script first: it must not go on with its next command.
  kill -TERM $shells 2>/dev/null
  kill -TERM $all 2>/dev/null
}
`;

/**
 * First follows work that already runs under this name; then, if that was other work or failed, starts its own and
 * follows that. The exit code is the work's; 143 where it was stopped, 75 where it was left running.
 * @param work undefined: only follows running work
 */
const script = (
  work: string | undefined,
  { folder, former }: Folders,
  stopFile: string,
  { key, stop, waitSeconds = patience }: Lasting,
): string => `
work=${shellQuote(work ?? '')}
d=${shellQuote(folder)} stop=${shellQuote(stopFile)} key=${hashText(key ?? work ?? '')}
${processFunctions(bootIdFile)}
${stopping(stop)}
running() {
  pid=$(field pid "$d/pid")
  [ -n "$pid" ] && same_process "$pid" "$(field boot_id "$d/pid")" "$(field start_ticks "$d/pid")"
}
new=$d; d=${shellQuote(former)}; running || d=$new
# That there is one may be seen by the account, what is in it by its owner alone.
make_folder() {
  ( case $d in /run/*) umask 022;; *) umask 077;; esac
    mkdir -p "\${d%/*}" && umask 077 && mkdir -p "$d" ) 2>/dev/null
}
# Prints what file $1 has beyond $2 bytes; sets size.
show() {
  size=$(wc -c <"$1" 2>/dev/null) || { size=$2; return; }
  size=$((size))
  [ "$size" -gt "$2" ] || return
  tail -c "+$(($2 + 1))" "$1" 2>/dev/null | head -c "$((size - $2))"
}
# Whether anyone follows the one whose process was $1. Each follower has a file with its own number.
followed() {
  for reader in "$d/follower.$1."*; do kill -0 "\${reader##*.}" 2>/dev/null && return 0; done
  return 1
}
remove_unread() {
  followed "$1" || rm -f "$d/out.$1" "$d/err.$1" "$d/exit.$1" "$d/follower.$1."*
}
# No longer follows the one whose process was $1, which has been read to its end.
leave() {
  rm -f "$d/follower.$1.$$"
  remove_unread "$1"
  case $d in /run/*) rmdir -p "$d";; *) rmdir "$d";; esac 2>/dev/null
}
# Until the end of the one whose process is $1: sets code, empty where it left none.
follow() {
  theirs=$1
  : >"$d/follower.$theirs.$$"
  seen_out=0 seen_err=0 turns=0 waited=0 code=
  while :; do
    alive=no; running && [ "$pid" = "$theirs" ] && alive=yes
    show "$d/out.$theirs" "$seen_out"; seen_out=$size
    show "$d/err.$theirs" "$seen_err" >&2; seen_err=$size
    [ "$alive" = no ] && break
    if [ -e "$stop" ]; then
      turns=20
      [ "$waited" = 0 ] && echo 'cancelled: stops as soon as that is sound'
      stop_members "$theirs"
      waited=$((waited + 1))
      [ "$waited" -gt ${waitSeconds * 2} ] && {
        echo 'it goes on by itself: the next preparation waits for it'; rm -f "$stop"; exit 75
      }
    fi
    turns=$((turns + 1))
    if [ "$turns" -lt 20 ]; then sleep 0.05; else sleep 0.5; fi
  done
  # Where nobody reads this any more, its files are left to whoever follows next; another that has read them had to leave them to this one.
  ( echo ) || { [ "$(field pid "$d/pid")" = "$theirs" ] || leave "$theirs"; exit 141; }
  { IFS= read -r code <"$d/exit.$theirs"; } 2>/dev/null
  [ "$(field pid "$d/pid")" = "$theirs" ] && rm -f "$d/pid"
  leave "$theirs"
  [ -e "$stop" ] && { rm -f "$stop"; exit 143; }
}
[ -e "$stop" ] && { rm -f "$stop"; exit 143; }
${
  work === undefined
    ? `[ -s "$d/pid" ] || exit 0
if running; then echo "${waiting} (process $pid)"
else pid=$(field pid "$d/pid"); echo "an earlier installation of Ringlab ended here while nobody followed it (process $pid)"
fi
follow "$pid"`
    : `make_folder || exec sh -c "$work"
attempts=0 refused=0
while :; do
  if running; then
    other=$(field key "$d/pid")
    echo "${waiting} (process $pid)" || exit 141
    follow "$pid"
    [ "$other" = "$key" ] && [ "$code" = 0 ] && exit 0
    continue
  fi
  make_folder || exit 1
  # One starts at a time: another would remove the files of work that has just begun. A starter that died leaves the folder.
  if ! mkdir "$d/starting" 2>/dev/null; then
    refused=$((refused + 1)); [ "$refused" -gt 300 ] && { rmdir "$d/starting" 2>/dev/null; refused=0; }
    sleep 0.05
    continue
  fi
  running && { rmdir "$d/starting"; continue; }
  attempts=$((attempts + 1)); [ "$attempts" -gt 5 ] && { rmdir "$d/starting"; exit 1; }
  rm -f "$d/pid"
  # One that has just ended may not have been read yet by those that follow it.
  for file in "$d"/out.* "$d"/err.* "$d"/exit.*; do remove_unread "\${file##*.}"; done
  ( umask 077; printf '%s' "$work" >"$d/work.$$" && printf '%s' ${shellQuote(supervisor)} >"$d/run.$$" ) || { rmdir "$d/starting"; exit 1; }
  if command -v setsid >/dev/null 2>&1; then setsid sh "$d/run.$$" "$d" "$key" "$d/work.$$" </dev/null >/dev/null 2>&1 &
  else nohup sh "$d/run.$$" "$d" "$key" "$d/work.$$" </dev/null >/dev/null 2>&1 &
  fi
  tries=0
  while [ ! -s "$d/pid" ] && [ "$tries" -lt 200 ]; do tries=$((tries + 1)); sleep 0.05; done
  own=$(field pid "$d/pid")
  if [ "$(field key "$d/pid")" != "$key" ]; then rmdir "$d/starting" 2>/dev/null; continue; fi
  : >"$d/follower.$own.$$"
  rmdir "$d/starting" 2>/dev/null
  follow "$own"
  exit "\${code:-1}"
done`
}
`;

interface Where {
  readonly shell: NodeShell;
  readonly facts: NodeFacts;
  /** Runs it as root. */
  readonly rights?: NodeRights;
}

async function execute(
  { shell, facts, rights }: Where,
  work: string | undefined,
  lasting: Lasting,
  options: CommandOptions,
): Promise<ExecResult> {
  const { signal, session } = shell;
  const stopFile = `${ringlabFolder(facts.home)}/stop-${randomUUID()}`;
  let asked: Promise<unknown> | undefined;
  const stop = (): void => {
    const [folder, file] = [ringlabFolder(facts.home), stopFile].map(shellQuote);
    asked = session.exec(`mkdir -p ${folder} && : >${file}`);
    // Where the connection is lost, the next preparation finds it still running.
    asked.catch(() => undefined);
  };
  const text = script(work, foldersOf(facts, lasting.name, rights !== undefined), stopFile, lasting);
  const how = { ...options, unstoppable: true };
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const result = await (rights === undefined
      ? shell.exec(text, how)
      : rights.root(shell, facts, text, how));
    signal.throwIfAborted();
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
    // It may have ended meanwhile, without seeing the file.
    asked?.then(() => session.exec(`rm -f ${shellQuote(stopFile)}`)).catch(() => undefined);
  }
}

/**
 * Runs `work` so that it survives this app and this connection. Never throws for a non-zero exit.
 * @throws what `NodeRights.root` throws; the signal's reason where the step was cancelled
 */
export const runLasting = (
  where: Where,
  work: string,
  lasting: Lasting,
  options: CommandOptions & { readonly label: Line },
): Promise<ExecResult> => execute(where, work, lasting, options);

/**
 * Waits for work that an earlier preparation left under this name, or shows how it ended. Returns whether there was
 * any.
 */
export async function settleLasting(where: Where, lasting: Lasting, timeoutMs: number): Promise<boolean> {
  const { shell, facts, rights } = where;
  const { folder, former } = foldersOf(facts, lasting.name, rights !== undefined);
  const there = await shell.exec(`[ -e ${shellQuote(folder)} ] || [ -e ${shellQuote(former)} ]`, {
    label: phrase('nodeCommands.findInstallation'),
    quiet: true,
  });
  if (there.code !== 0) return false;
  await execute(where, undefined, lasting, {
    label: phrase('nodeCommands.awaitInstallation'),
    timeoutMs,
  });
  return true;
}
