/** How apt is called on a node: never interactive, with short time-outs for mirrors behind a firewall. */

/** Time-out for a connection and for data on it; apt's default is two minutes for each address and attempt. */
const silenceSeconds = 20;

/** Options of apt-get. */
export const aptTimeouts = ['http', 'https']
  .map((method) => `-o Acquire::${method}::Timeout=${silenceSeconds}`)
  .concat('-o Acquire::Retries=1')
  .join(' ');

/**
 * Exists while one of our installations changes packages; other programs' interrupted changes are left alone. dpkg
 * itself reads DPKG_ADMINDIR.
 */
const setMark = 'ringlab_mark=${DPKG_ADMINDIR:-/var/lib/dpkg}/ringlab-installing';

/**
 * Shell text to run before `apt-get update`: DPkg::Lock::Timeout does not count for the lists' own lock, which the first updates of
 * a fresh machine hold for minutes.
 */
export const awaitLists = `ringlab_tries=0
while inode=$(stat -c %i /var/lib/apt/lists/lock 2>/dev/null) && grep -q ":$inode 0 " /proc/locks 2>/dev/null && [ $ringlab_tries -lt 60 ]; do
  [ $ringlab_tries != 0 ] || echo 'waiting until another apt-get update has ended' >&2
  ringlab_tries=$((ringlab_tries + 1)); sleep 5
done`;

/** Shell text to run before an installation: completes an interrupted one of ours with dpkg. Exits where that fails. */
export const completeInterrupted = `${setMark}
if [ -e "$ringlab_mark" ] && [ -n "$(dpkg --audit 2>/dev/null)" ]; then
  echo 'an installation of ours was interrupted: dpkg --configure -a'
  env DEBIAN_FRONTEND=noninteractive LC_ALL=C dpkg --configure -a || exit 1
fi`;
/** Around what changes packages, after `completeInterrupted`. */
export const beginChange = '{ : > "$ringlab_mark"; } 2>/dev/null || true';
export const endChange = 'rm -f "$ringlab_mark"';
