/**
 * For the storm test: a disk of its own for each node, an ext4 file system in a file, whose failures are those of the kernel's driver.
 * Needs Linux and root.
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RunRecord } from '../../../shared/run/run.ts';
import { signal, usersOf } from './storm-processes.ts';

/** Enough for the sets of checkpoints of a small network, and little enough to fill it. */
const diskSize = '160M';

export interface StormDisks {
  /** As the kernel makes it after an error of the medium: nothing can be written any more. */
  turnReadOnly(folder: string): Promise<void>;
  /** What was written and not synchronised is gone. */
  cutPower(folder: string): void;
  /** Checks the disk and mounts it again, as a reboot does: whatever had a file open there must have ended. */
  repair(folder: string): Promise<void>;
  unmount(): void;
}

const root = (...command: string[]): string => {
  const [program = '', ...rest] = command;
  return execFileSync(program, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
};

/** The folder of a node's runs, which is its disk. */
export const diskOf = (run: RunRecord, rank: number): string =>
  dirname(dirname(run.ranks[rank]?.directory ?? '/nowhere'));

/** Linux's EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: not even the journal is written. */
const shutDown = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))
`;

/**
 * Gives each node of an earlier run a disk for its later runs.
 * @param nodes the folder of all local nodes. `ip netns exec` gives a node's processes a copy of all mounts: they follow only where the
 * mount around the disks is shared, and a disk that another node's process holds could not be repaired
 * @param images where the files of the disks are put
 */
export function mountDisks(run: RunRecord, nodes: string, images: string): StormDisks {
  const folders = run.ranks.map(({ rank }) => diskOf(run, rank));
  const imageOf = (folder: string): string => join(images, `disk-${folders.indexOf(folder)}.ext4`);
  const mount = (folder: string): void => void root('mount', '-o', 'loop', imageOf(folder), folder);
  root('mount', '--bind', nodes, nodes);
  root('mount', '--make-shared', nodes);
  for (const folder of folders) {
    root('truncate', '-s', diskSize, imageOf(folder));
    root('mkfs.ext4', '-q', '-m', '0', '-e', 'remount-ro', imageOf(folder));
    mount(folder);
    root('chmod', '700', folder);
    root('rmdir', join(folder, 'lost+found'));
  }
  return {
    async turnReadOnly(folder) {
      const device = basename(root('findmnt', '-n', '-o', 'SOURCE', folder).trim());
      await writeFile(`/sys/fs/ext4/${device}/trigger_fs_error`, '1');
    },
    cutPower: (folder) => void root('python3', '-c', shutDown, folder),
    async repair(folder) {
      for (let tries = 0; (await usersOf(folder)).length > 0; tries += 1) {
        if (tries > 100) throw new Error(`still in use: ${folder}`);
        for (const pid of await usersOf(folder)) signal(pid, 'SIGKILL');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      root('umount', folder);
      // Another mount namespace may have a copy of the mount, such as that of a chroot that begins: the same broken disk would be mounted again.
      for (let tries = 0; root('losetup', '-j', imageOf(folder)) !== ''; tries += 1) {
        if (tries > 600) throw new Error(`still mounted in another namespace: ${folder}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      try {
        root('e2fsck', '-f', '-y', imageOf(folder));
      } catch (error) {
        // 1: errors were corrected.
        if ((error as { status?: number }).status !== 1) throw error;
      }
      mount(folder);
    },
    unmount() {
      for (const folder of [...folders, nodes]) root('umount', '-l', folder);
    },
  };
}
