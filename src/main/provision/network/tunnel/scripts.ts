/** Shell text for a node's end of a tunnel: read-only checks, and changes as root. */
import { shellQuote } from '../../../ssh/index.ts';
import { interfacePrefix, tunnelFolder } from './names.ts';
import { endpointText, keepaliveSeconds, peersText, type TunnelPeer } from './plan.ts';

const path = 'PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"';
const at = (name: string, kind: string): string => `${tunnelFolder}/${name}.${kind}`;
const sockets = '/var/run/wireguard';

/** For any user: the programs for a tunnel, and the state of this one. */
export const statusScript = (name: string): string => `
${path}
for program in wg ip wireguard-go; do command -v $program >/dev/null 2>&1 && echo "has $program"; done
{ [ -d /sys/module/wireguard ] || modinfo -n wireguard || grep -qs '/wireguard[.]ko' "/lib/modules/$(uname -r)/modules.builtin"; } >/dev/null 2>&1 && [ ! -e ${tunnelFolder}/no-kernel ] && echo kernel
[ -c /dev/net/tun ] && echo tun
[ -r ${at(name, 'pub')} ] && printf 'key %s\\n' "$(head -c 64 ${at(name, 'pub')})"
[ -e ${at(name, 'key')} ] || [ -e /sys/class/net/${name} ] && echo traces
:
`;

/** Creates a missing key, or a new one; records whether this kernel supports WireGuard, by trying it. */
export const keyScript = (name: string, again: boolean): string => `set -e
${path}
umask 077
mkdir -p ${tunnelFolder}
chmod 755 ${tunnelFolder} ${tunnelFolder.replace(/\/[^/]*$/, '')}
${again ? `rm -f ${at(name, 'key')}\n` : ''}if [ ! -s ${at(name, 'key')} ]; then
  wg genkey > ${at(name, 'new')}
  mv -f ${at(name, 'new')} ${at(name, 'key')}
fi
wg pubkey < ${at(name, 'key')} > ${at(name, 'new')}
chmod 644 ${at(name, 'new')}
mv -f ${at(name, 'new')} ${at(name, 'pub')}
if ip link add dev ${interfacePrefix}try$$ type wireguard 2>/dev/null; then
  ip link delete dev ${interfacePrefix}try$$
  rm -f ${tunnelFolder}/no-kernel
else
  : > ${tunnelFolder}/no-kernel
  chmod 644 ${tunnelFolder}/no-kernel
fi`;

/**
 * `uses NAME IP_OPTIONS`: whether a rank uses the interface: a process with the interface in the variables of Gloo and NCCL, as every
 * rank of an own script, or a trainer with its address.
 */
const uses = `uses() {
  [ -z "$(grep -l "_SOCKET_IFNAME==\\{0,1\\}$1" /proc/[0-9]*/environ 2>/dev/null)" ] || return 0
  for address in $(ip $2 -o -4 address show dev "$1" 2>/dev/null | sed -n 's/.* inet \\([0-9.]*\\).*/\\1/p'); do
    for file in $(grep -l '[r]inglab-train' /proc/[0-9]*/cmdline 2>/dev/null); do
      tr '\\000' '\\n' <"$file" 2>/dev/null | grep -qxF "$address" && return 0
    done
  done
  return 1
}`;

/**
 * For any user, in the node's namespace: its networks, the interface's own addresses, UDP ports in use, and whether a rank of this user
 * uses the interface.
 */
export const networksScript = (name: string): string => `
${path}
${uses}
uses ${name} '' && echo busy
ip -o -4 route show table all 2>/dev/null | grep -v ' dev ${name}\\( \\|$\\)' | while read -r first second rest; do
  case $first in [0-9]*) echo "net $first";; default) :;; *) echo "net $second";; esac
done
ip -o -4 address show 2>/dev/null | while read -r index device family address rest; do
  [ "$device" = ${name} ] && echo "at $address" || echo "net $address"
done
for file in /proc/net/udp /proc/net/udp6; do
  [ -r "$file" ] && while read -r slot local rest; do
    case $local in *:*) echo "udp \${local##*:}";; esac
  done < "$file"
done
[ -e /sys/class/net/${name} ] || ip link show dev ${name} >/dev/null 2>&1 && sed -n 's/^ListenPort = /own /p' ${at(name, 'conf')} 2>/dev/null
:
`;

/** Exit codes of `raiseScript`. */
export const raiseExits = { noKey: 3, noWay: 4, noTun: 5, noInterface: 6, portInUse: 7 } as const;

export interface RaiseOptions {
  readonly name: string;
  /** The owner: the data folder's tag and the lab. */
  readonly owner: string;
  readonly labId: string;
  readonly address: string;
  readonly port: number;
  readonly peers: readonly TunnelPeer[];
  /** The list of peers is complete: others are removed, and other addresses. */
  readonly whole: boolean;
}

/** Brings the interface to the wanted state from any other; what is right already is not changed. */
export function raiseScript({ name, owner, labId, address, port, peers, whole }: RaiseOptions): string {
  const text = peersText(peers);
  return `${path}
[ -s ${at(name, 'key')} ] || exit ${raiseExits.noKey}
made=
if ! ip link show dev ${name} >/dev/null 2>&1; then
  rm -f ${sockets}/${name}.sock
  if ip link add dev ${name} type wireguard 2>/dev/null; then :
  elif command -v wireguard-go >/dev/null 2>&1; then
    [ -c /dev/net/tun ] || { mkdir -p /dev/net && mknod /dev/net/tun c 10 200; } 2>/dev/null
    (: < /dev/net/tun) 2>/dev/null || exit ${raiseExits.noTun}
    LOG_LEVEL=error setsid wireguard-go ${name} </dev/null >/dev/null 2>&1 || exit ${raiseExits.noInterface}
    tries=0
    until [ -e ${sockets}/${name}.sock ] || [ $tries -ge 50 ]; do sleep 0.1; tries=$((tries + 1)); done
  else exit ${raiseExits.noWay}
  fi
  made=yes
  echo raised
fi
# A new interface that could not be configured must not be taken for one that listens.
fail() {
  printf '%s\\n' "$1" >&2
  [ -z "$made" ] || ip link delete dev ${name}
  rm -f ${at(name, 'new')}
  case $1 in *'ddress already in use'*) exit ${raiseExits.portInUse};; esac
  exit 1
}
# Only an interface that is up, with any port, says whether it gets the one that it shall have.
ip link set dev ${name} up 2>/dev/null || { wg set ${name} listen-port 0 && ip link set dev ${name} up; } || fail 'it cannot be set up'
tries=0
while [ "$(wg show ${name} listen-port)" = 0 ] && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
umask 022
cat > ${at(name, 'new')} <<'CONF' || fail 'its configuration cannot be written'
# Written by Ringlab: ${owner} ${labId}
[Interface]
ListenPort = ${port}

${text}CONF
error=$({ printf '[Interface]\\nPrivateKey = %s\\n' "$(cat ${at(name, 'key')})"; sed '/^#/d;/^\\[Interface\\]$/d' ${at(name, 'new')}; } | LC_ALL=C wg ${whole ? 'syncconf' : 'addconf'} ${name} /dev/stdin 2>&1) || fail "$error"
set -e
mv -f ${at(name, 'new')} ${at(name, 'conf')}
${
  whole
    ? `ip -o -4 address show dev ${name} | while read -r index device family other rest; do
  [ "$other" = ${address}/32 ] || ip address delete "$other" dev ${name}
done
`
    : ''
}ip address replace ${address}/32 dev ${name}
${peers.map((peer) => `ip route replace ${peer.address}/32 dev ${name} src ${address}`).join('\n')}
${
  whole
    ? `ip -o -4 route show dev ${name} | while read -r to rest; do
  case " ${peers.map((peer) => peer.address).join(' ')} " in *" \${to%/32} "*) ;; *) ip route delete "$to" dev ${name} || :;; esac
done`
    : ''
}`;
}

/**
 * Removes these peers and adds them again with these endpoints: else a session would stand in place of a handshake, and
 * the time of an earlier one would be taken for an answer. Nothing is sent before `handshakeScript`, so that no end begins a
 * session that the other is about to remove.
 * @param keep peers that have answered before get the endpoint where they were, which a run may be using
 */
export const renewScript = (name: string, peers: readonly TunnelPeer[], keep: boolean): string => `
${path}
known=$(${keep ? `wg show ${name} latest-handshakes | while read -r key time; do [ "$time" = 0 ] || echo "$key"; done` : ':'})
endpoints=$(wg show ${name} endpoints)
renew() {
  way=
  case " $(echo $known) " in *" $1 "*) way=$(printf '%s\n' "$endpoints" | sed -n "s|^$1[[:blank:]]*||p");; esac
  case $way in ''|'(none)') way=$3;; esac
  wg set ${name} peer "$1" remove || exit 1
  wg set ${name} peer "$1" allowed-ips "$2/32" \${way:+endpoint "$way"} || exit 1
}
${peers.map(({ publicKey, address, endpoint, port }) => `renew ${shellQuote(publicKey)} ${address} ${endpoint === undefined ? "''" : shellQuote(endpointText(endpoint, port))}`).join('\n')}
:`;

/**
 * Starts handshakes with these peers, by the keepalive, which stays, and waits until each has answered, up to the given seconds. WireGuard
 * retries every five seconds.
 */
export const handshakeScript = (name: string, peers: readonly TunnelPeer[], seconds: number): string => `
${path}
${peers.map(({ publicKey }) => `wg set ${name} peer ${shellQuote(publicKey)} persistent-keepalive ${keepaliveSeconds}`).join('\n')}
wanted=' ${peers.map(({ publicKey }) => publicKey).join(' ')} '
tries=0
while [ $tries -lt ${seconds * 5} ]; do
  missing=$(wg show ${name} latest-handshakes | while read -r key time; do
    case $wanted in *" $key "*) [ "$time" -gt 0 ] || echo "$key";; esac
  done)
  [ -n "$missing" ] || break
  sleep 0.2; tries=$((tries + 1))
done
wg show ${name} latest-handshakes | while read -r key time; do echo "handshake $key $time"; done
wg show ${name} transfer | while read -r key received sent; do echo "received $key $received"; done
`;

/**
 * Sets the MTU by the devices that lead to the peers, at the endpoints where they were met: also to those that are not prepared now.
 * Before, an interface has WireGuard's default, or what it had.
 */
export const mtuScript = (name: string): string => `${path}
least=$(wg show ${name} endpoints | while read -r key endpoint; do
  case $endpoint in '['*) host=\${endpoint#?}; host=\${host%%]*};; *:*) host=\${endpoint%:*};; *) continue;; esac
  route=$(ip -o route get "$host" 2>/dev/null) || continue
  device=$(printf '%s\\n' "$route" | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p')
  found=$(printf '%s\\n' "$route" | sed -n 's/.* mtu \\([0-9]*\\).*/\\1/p')
  [ -n "$found" ] || found=$(ip -o link show dev "$device" 2>/dev/null | sed -n 's/.* mtu \\([0-9]*\\).*/\\1/p')
  case $host in *:*) echo $((\${found:-1500} - 80));; *) echo $((\${found:-1500} - 60));; esac
done | sort -n | head -n 1)
[ -n "$least" ] && [ "$least" -lt 9000 ] || least=1420
[ "$least" -ge 576 ] || least=576
ip link set dev ${name} mtu "$least"`;

/** Exit code of `removeTunnels` where ranks use one. */
export const tunnelInUse = 5;

/** Removes interfaces, also in Ringlab's namespaces, with their keys. If a rank uses one, all are kept. */
export const removeTunnels = (names: readonly string[]): string => `${path}
names='${names.join(' ')}'
each() {
  for name in $names; do
    "$@" "$name" ''
    for space in /run/netns/ringlab-*; do [ -e "$space" ] && "$@" "$name" "-n \${space##*/}"; done
  done
}
${uses}
busy() { if uses "$1" "$2"; then exit ${tunnelInUse}; fi; }
take() {
  ip $2 link delete dev "$1" 2>/dev/null
  rm -f ${sockets}/"$1".sock ${tunnelFolder}/"$1".key ${tunnelFolder}/"$1".pub ${tunnelFolder}/"$1".conf ${tunnelFolder}/"$1".new
}
each busy
each take
if [ -z "$(ls ${tunnelFolder}/*.key 2>/dev/null)" ]; then rm -f ${tunnelFolder}/no-kernel; rmdir ${tunnelFolder} ${tunnelFolder.replace(/\/[^/]*$/, '')} 2>/dev/null; fi
:`;

/** For any user: prints `tunnel NAME` for each interface of this data folder's tag. */
export const listTunnels = (owner: string): string =>
  `for file in ${tunnelFolder}/${interfacePrefix}*.conf; do
  head -n 1 "$file" 2>/dev/null | grep -q '^# Written by Ringlab: ${owner} ' && { file=\${file##*/}; echo "tunnel \${file%.conf}"; }
done`;
