/** How apt is called on a node: it never asks, and it does not wait for minutes on a mirror that a firewall hides. */

/** Of silence, for a connection and for what comes through it; apt's own patience is two minutes an address and try. */
const silenceSeconds = 20;

/** Options of apt-get. */
export const aptTimeouts = ['http', 'https']
  .map((method) => `-o Acquire::${method}::Timeout=${silenceSeconds}`)
  .concat('-o Acquire::Retries=1')
  .join(' ');

/** There while an installation of ours changes packages; what others left half done is theirs. dpkg itself reads DPKG_ADMINDIR. */
const setMark = 'ringlab_mark=${DPKG_ADMINDIR:-/var/lib/dpkg}/ringlab-installing';

/** Shell text for before an installation: one of ours that was interrupted is brought to its end by dpkg. Exits where that fails. */
export const mendInterrupted = `${setMark}
if [ -e "$ringlab_mark" ] && [ -n "$(dpkg --audit 2>/dev/null)" ]; then
  echo 'an installation of ours was interrupted: dpkg --configure -a'
  env DEBIAN_FRONTEND=noninteractive LC_ALL=C dpkg --configure -a || exit 1
fi`;
/** Around what changes packages, after `mendInterrupted`. */
export const beginChange = '{ : > "$ringlab_mark"; } 2>/dev/null || true';
export const endChange = 'rm -f "$ringlab_mark"';
