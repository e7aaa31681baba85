/**
 * Drawn limits on a real node: `tc` on the interface that leads to a peer, towards the peers' addresses alone. Pure; the
 * text runs on the node as root. A guard on the node lifts the limits when nobody has renewed them in time, so that an app
 * that vanished leaves no node throttled.
 */
import { rateWords } from './shaping.ts';

export interface PeerLimit {
  /** IPv4 address that the peer is known by. */
  readonly address: string;
  readonly bandwidthMbps: number;
}

/** Of our root queue: no other program numbers its own like this, and a queue without it is never removed. */
const limitHandle = '52a1';
const folder = '/run/ringlab-limits';

/** What a kernel puts on an interface by itself: ours may stand in its place, and it comes back by itself. */
const ownersNobody = 'noqueue|pfifo_fast|fq_codel|fq|mq';

const peersDevice = `device_to() { ip -o route get "$1" | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p'; }`;
const lift = `lift() {
  for file in ${folder}/device-*; do
    [ -e "$file" ] || continue
    device=\${file#${folder}/device-}
    tc qdisc show dev "$device" root 2>/dev/null | grep -q '^qdisc htb ${limitHandle}: ' && tc qdisc delete dev "$device" root
    rm -f "$file"
  done
}`;

/** Ends with the deadline: read anew each time, since it is put off. Runs under a name that says what it is. */
const guard = `#!/bin/sh
# Written by Ringlab: lifts its limits when nobody has renewed them in time.
${lift}
while sleep 1; do
  IFS= read -r deadline < ${folder}/deadline || break
  [ "$(cut -d. -f1 /proc/uptime)" -lt "$deadline" ] || break
done
lift
rm -rf ${folder}
`;

const renew = (seconds: number): string => `
echo $(( $(cut -d. -f1 /proc/uptime) + ${Math.round(seconds)} )) > ${folder}/deadline.new && mv ${folder}/deadline.new ${folder}/deadline`;

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Prints `limited <device>` for each interface; exits 3 with `taken <device> <kind>` where an interface has a queue that
 * somebody chose. Applied again, it replaces what it applied before. Traffic of the session that it runs in is exempt,
 * where the shell has `$SSH_CONNECTION`; else whatever comes from port 22.
 */
export function limitScript(limits: readonly PeerLimit[], seconds: number): string {
  const lines = [
    'set -e',
    peersDevice,
    lift,
    `mkdir -p ${folder}`,
    'lift',
    'set -- $SSH_CONNECTION',
    'case $1:$4 in *.*.*.*:[0-9]*) exempt="match ip dst $1/32 match ip sport $4 0xffff";; *) exempt="match ip sport 22 0xffff";; esac',
  ];
  limits.forEach(({ address, bandwidthMbps }, index) => {
    const minor = (index + 2).toString(16);
    const at = `dev "$device" parent ${limitHandle}:`;
    lines.push(
      `device=$(device_to ${address})`,
      `if [ ! -e ${folder}/device-"$device" ]; then`,
      `  kind=$(tc qdisc show dev "$device" root | sed -n 's/^qdisc \\([^ ]*\\) .*/\\1/p' | head -n 1)`,
      `  case \${kind:-noqueue} in ${ownersNobody}) ;; *) echo "taken $device $kind"; lift; exit 3;; esac`,
      `  tc qdisc replace dev "$device" root handle ${limitHandle}: htb default 0`,
      `  : > ${folder}/device-"$device"`,
      `  tc filter add ${at} protocol ip prio 1 u32 $exempt flowid ${limitHandle}:0`,
      `  echo "limited $device"`,
      'fi',
      `tc class add ${at} classid ${limitHandle}:${minor} htb ${rateWords({ bandwidthMbps }).join(' ')}`,
      `tc filter add ${at} protocol ip prio 2 u32 match ip dst ${address}/32 flowid ${limitHandle}:${minor}`,
    );
  });
  lines.push(
    renew(seconds),
    `printf %s ${quote(guard)} > ${folder}/guard.sh`,
    `old=$(cat ${folder}/guard.pid 2>/dev/null || :)`,
    `if [ -z "$old" ] || ! grep -q ${folder}/guard.sh /proc/"$old"/cmdline 2>/dev/null; then`,
    `  setsid sh ${folder}/guard.sh < /dev/null > /dev/null 2>&1 &`,
    `  echo $! > ${folder}/guard.pid`,
    'fi',
  );
  return `${lines.join('\n')}\n`;
}

/** Exits 1 where the limits are gone. */
export const renewScript = (seconds: number): string =>
  `[ -e ${folder}/deadline ] || exit 1${renew(seconds)}\n`;
/** Ends the guard, too: limits that are set anew within its second would have two, and the old one may not see what they limit. */
export const liftScript = `${lift}
lift
guard=$(cat ${folder}/guard.pid 2>/dev/null)
[ -n "$guard" ] && grep -q ${folder}/guard.sh "/proc/$guard/cmdline" 2>/dev/null && kill "$guard"
rm -rf ${folder}
`;
