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

/** Shell text to run before an installation: completes an interrupted one of ours with dpkg. Exits where that fails. */
export const completeInterrupted = `${setMark}
if [ -e "$ringlab_mark" ] && [ -n "$(dpkg --audit 2>/dev/null)" ]; then
  echo 'an installation of ours was interrupted: dpkg --configure -a'
  env DEBIAN_FRONTEND=noninteractive LC_ALL=C dpkg --configure -a || exit 1
fi`;
/** Around what changes packages, after `completeInterrupted`. */
export const beginChange = '{ : > "$ringlab_mark"; } 2>/dev/null || true';
export const endChange = 'rm -f "$ringlab_mark"';
