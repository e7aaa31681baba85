/**
 * Drawn limits on a real node: `tc` on the interface that leads to a peer, only for the peers' addresses. Pure; the
 * script runs on the node as root. A watchdog on the node lifts the limits when they are not renewed in time, so that
 * no node stays throttled after a crash of the app.
 */
import { rateWords } from './shaping.ts';

export interface PeerLimit {
  /** IPv4 address of the peer. */
  readonly address: string;
  readonly bandwidthMbps: number;
}

/** Handle of our root queue: unlikely in other programs; a queue without it is never removed. */
const limitHandle = '52a1';
const folder = '/run/ringlab-limits';

/**
 * Prints the kind of a queue that somebody set. Those that a kernel sets have the handle 0: ours may replace them, and they are restored
 * automatically. At ffff: are filters for what comes in, which stay.
 */
const somebodys = `sed -n -e '/^qdisc [^ ]* 0:/d' -e '/^qdisc [^ ]* ffff:/d' -e 's/^qdisc \\([^ ]*\\) .*/\\1/p' | head -n 1`;

const peersDevice = `device_to() { ip -o route get "$1" | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p'; }`;
/** The word `root` of `tc qdisc show` is only known since iproute2 5.8. */
const lift = `lift() {
  for file in ${folder}/device-*; do
    [ -e "$file" ] || continue
    device=\${file#${folder}/device-}
    tc qdisc show dev "$device" 2>/dev/null | grep -q '^qdisc htb ${limitHandle}: root' && tc qdisc delete dev "$device" root
    rm -f "$file"
  done
}`;

/** Also ends the watchdog: otherwise limits that are set again within its second would have two. */
const undo = `undo() {
  lift
  guard=$(cat ${folder}/guard.pid 2>/dev/null || :)
  [ -n "$guard" ] && grep -q ${folder}/guard.sh "/proc/$guard/cmdline" 2>/dev/null && kill "$guard"
  rm -rf ${folder}
}`;

/** Ends at the deadline, which is read again each time, since it is extended. Its process has a descriptive name. */
const guard = `#!/bin/sh
# Written by Ringlab: lifts its limits when nobody has renewed them in time.
${lift}
while sleep 1; do
  read -r deadline tag < ${folder}/deadline || break
  [ "$(cut -d. -f1 /proc/uptime)" -lt "$deadline" ] || break
done
lift
rm -rf ${folder}
`;

const renew = (seconds: number, tag: string): string => `
echo $(( $(cut -d. -f1 /proc/uptime) + ${Math.round(seconds)} )) ${tag} > ${folder}/deadline.new && mv ${folder}/deadline.new ${folder}/deadline`;

/** The deadline of the limits that are set, and the tag of their lab; empty where there are none. */
const readDeadline = `until= by=
{ read -r until by < ${folder}/deadline; } 2>/dev/null || :`;

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Prints `limited <device>` for each interface; exits 3 with `taken <device> <kind>` where an interface has a queue
 * set by somebody else, 5 with `noroute <address>` where no route leads to a peer, and 4 with `held` where another lab's limits stand and have not expired: there is one root queue a
 * device. Idempotent. A failure leaves no limits: the watchdog runs before the first, and what was set is lifted. Exempts the current SSH session where the shell has `$SSH_CONNECTION`; else
 * everything from port 22.
 */
export function limitScript(limits: readonly PeerLimit[], seconds: number, tag: string): string {
  const lines = [
    'set -e',
    peersDevice,
    lift,
    undo,
    readDeadline,
    `if [ -n "$by" ] && [ "$by" != ${tag} ] && [ "$(cut -d. -f1 /proc/uptime)" -lt "$until" ]; then echo held; exit 4; fi`,
    `mkdir -p ${folder}`,
    'lift',
    'trap undo EXIT',
    renew(seconds, tag),
    `printf %s ${quote(guard)} > ${folder}/guard.sh`,
    `old=$(cat ${folder}/guard.pid 2>/dev/null || :)`,
    `if [ -z "$old" ] || ! grep -q ${folder}/guard.sh /proc/"$old"/cmdline 2>/dev/null; then`,
    `  setsid sh ${folder}/guard.sh < /dev/null > /dev/null 2>&1 &`,
    `  echo $! > ${folder}/guard.pid`,
    'fi',
    'set -- $SSH_CONNECTION',
    'case $1:$4 in *.*.*.*:[0-9]*) exempt="match ip dst $1/32 match ip sport $4 0xffff";; *) exempt="match ip sport 22 0xffff";; esac',
  ];
  limits.forEach(({ address, bandwidthMbps }, index) => {
    const minor = (index + 2).toString(16);
    const at = `dev "$device" parent ${limitHandle}:`;
    lines.push(
      `device=$(device_to ${address})`,
      `[ -n "$device" ] || { echo "noroute ${address}"; exit 5; }`,
      `if [ ! -e ${folder}/device-"$device" ]; then`,
      `  kind=$(tc qdisc show dev "$device" | ${somebodys})`,
      `  [ -z "$kind" ] || { echo "taken $device $kind"; exit 3; }`,
      `  : > ${folder}/device-"$device"`,
      `  tc qdisc replace dev "$device" root handle ${limitHandle}: htb default 0`,
      `  tc filter add ${at} protocol ip prio 1 u32 $exempt flowid ${limitHandle}:0`,
      `  echo "limited $device"`,
      'fi',
      `tc class add ${at} classid ${limitHandle}:${minor} htb ${rateWords({ bandwidthMbps }).join(' ')}`,
      `tc filter add ${at} protocol ip prio 2 u32 match ip dst ${address}/32 flowid ${limitHandle}:${minor}`,
    );
  });
  lines.push('trap - EXIT');
  return `${lines.join('\n')}\n`;
}

/**
 * Exits 1 where the lab's limits are missing: they have expired, an interface was made again without its queue, or the route to a peer
 * leads to another interface by now.
 */
export const renewScript = (
  limits: readonly PeerLimit[],
  seconds: number,
  tag: string,
): string => `${readDeadline}
[ "$by" = ${tag} ] || exit 1
${peersDevice}
for file in ${folder}/device-*; do
  [ -e "$file" ] || continue
  tc qdisc show dev "\${file#${folder}/device-}" 2>/dev/null | grep -q '^qdisc htb ${limitHandle}: root' || exit 1
done
for address in ${limits.map(({ address }) => address).join(' ')}; do
  [ -e ${folder}/device-"$(device_to "$address")" ] || exit 1
done${renew(seconds, tag)}
`;

/** Leaves another lab's limits. */
export const liftScript = (tag: string): string => `${readDeadline}
case $by in ''|${tag}) ;; *) exit 0;; esac
${lift}
${undo}
undo
`;
