/** Runs arm64's programs on this machine: QEMU's user-mode emulation, registered with the kernel while work needs it. */
import { existsSync, writeFileSync } from 'node:fs';
import { runCommand } from '../setup/command.mjs';
import { SetupFailure } from '../setup/failure.mjs';
import { packagesAtHand } from '../setup/debian.mjs';

const registry = '/proc/sys/fs/binfmt_misc';
const name = 'ringlab-aarch64';
/** Debian's registration of the same, by binfmt-support or systemd. */
const distributions = 'qemu-aarch64';
/**
 * An ELF file of 64 bits, little endian, executable or shared, for machine 183. `F` opens the emulator now, so that it need not
 * lie in each chroot.
 */
const rule = `:${name}:M::\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:/usr/bin/qemu-aarch64-static:F`;

/**
 * @template T
 * @param {import('../setup/progress.mjs').Progress} progress
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withArm64(progress, work) {
  await packagesAtHand(progress, ['qemu-user-static']);
  const mounts = !existsSync(`${registry}/register`);
  if (mounts) {
    const { code, output } = await runCommand('mount', ['-t', 'binfmt_misc', 'binfmt_misc', registry]);
    if (code !== 0) throw new SetupFailure('the kernel takes no emulator', 'it needs binfmt_misc', output);
  }
  const registers = ![name, distributions].some((known) => existsSync(`${registry}/${known}`));
  try {
    if (registers) writeFileSync(`${registry}/register`, rule);
    return await work();
  } finally {
    if (registers && existsSync(`${registry}/${name}`)) writeFileSync(`${registry}/${name}`, '-1');
    if (mounts) await runCommand('umount', [registry]);
  }
}
