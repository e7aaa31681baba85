/** The commands that install, build, load and replace NVIDIA's driver, as the user sees them before they are run. */
import { shellQuote } from '../../ssh/index.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { phrase } from '../../i18n/index.ts';
import { aptTimeouts } from '../download/apt-call.ts';
import type { RunnableChange } from '../node/planned-change.ts';

export const apt = `env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 ${aptTimeouts}`;

/** A package that holds a whole repository leaves the key in its own folder; its message asks the user to copy it. */
export const addRepository = (file: string): RunnableChange => ({
  what: phrase('changes.driver.addRepository'),
  command: `${apt} install -y --no-install-recommends ${shellQuote(file)}
for key in /var/cuda-repo-*/*-keyring.gpg /var/nvidia-driver-local-repo-*/*-keyring.gpg; do
  [ ! -e "$key" ] || cp "$key" /usr/share/keyrings/
done
${apt} update`,
});

export const nouveauFile = '/etc/modprobe.d/ringlab-nouveau.conf';

export const headers = ({ kernel }: NodeFacts): RunnableChange => ({
  what: phrase('changes.driver.headers', { kernel }),
  command: `${apt} update
${apt} install -y --no-install-recommends dkms gcc make linux-headers-${kernel}`,
});

export const blacklist: RunnableChange = {
  what: phrase('changes.driver.blacklist'),
  command: `mkdir -p /etc/modprobe.d
printf 'blacklist nouveau\\noptions nouveau modeset=0\\n' > ${nouveauFile}
if command -v update-initramfs >/dev/null 2>&1; then update-initramfs -u; elif command -v dracut >/dev/null 2>&1; then dracut --force; fi`,
};

export const load: RunnableChange = {
  what: phrase('changes.driver.load'),
  command: 'modprobe nvidia && { modprobe nvidia-uvm || true; }',
};

/** Always needs its own consent, never together with others. */
export const rebootChange: RunnableChange = {
  what: phrase('changes.driver.reboot'),
  // Delayed: otherwise the connection breaks before the exit status arrives.
  command: '( sleep 1; systemctl reboot || reboot ) >/dev/null 2>&1 &',
};
