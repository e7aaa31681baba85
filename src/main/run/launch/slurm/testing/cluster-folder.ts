/** For tests: the folder on this machine in which everything of one cluster lies: what its machines see as /etc/slurm, /home, … */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gpuFile, gresConf, slurmConf, slurmdbdConf, type ClusterShape } from './configuration.ts';

const execute = promisify(execFile);

/** Accounts that the cluster's machines have and this one has not. */
export const users = { student: 20_001, rival: 20_002 } as const;

/** Files with which another test locks the accounts of this machine, while it makes one, come and go. */
async function copyOfEtc(etc: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await execute('cp', ['-a', '/etc', etc]);
      return;
    } catch (error) {
      if (tries === 5) throw error;
      await rm(etc, { recursive: true, force: true });
    }
  }
}

/**
 * The machines have a whole /etc of their own: a file that is mounted over this machine's /etc/passwd is gone as soon as another test
 * makes an account here, because that replaces the file below it.
 * @param addresses of all machines, by name
 */
export async function makeClusterFolder(
  shape: ClusterShape,
  addresses: ReadonlyMap<string, string>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-slurm-'));
  await chmod(folder, 0o755);
  const etc = join(folder, 'etc');
  await copyOfEtc(etc);
  const slurm = join(etc, 'slurm');
  await rm(slurm, { recursive: true, force: true });
  await mkdir(join(slurm, 'gpu'), { recursive: true });
  await writeFile(join(slurm, 'slurm.conf'), slurmConf(shape));
  await writeFile(join(slurm, 'gres.conf'), gresConf(shape));
  if (shape.accounting) await writeFile(join(slurm, 'slurmdbd.conf'), slurmdbdConf, { mode: 0o600 });
  await writeFile(join(slurm, 'munge.key'), randomBytes(1024), { mode: 0o400 });
  // slurmd wants a device: these are /dev/null's.
  for (let gpu = 0; gpu < shape.gpus; gpu += 1)
    await execute('mknod', [join(slurm, relative('/etc/slurm', gpuFile(gpu))), 'c', '1', '3']);
  await writeFile(
    join(etc, 'hosts'),
    ['127.0.0.1 localhost', ...[...addresses].map(([name, address]) => `${address} ${name}`), ''].join('\n'),
  );
  const extended = (file: string, line: (name: string, id: number) => string): Promise<void> =>
    appendFile(
      join(etc, file),
      Object.entries(users)
        .map(([name, id]) => `${line(name, id)}\n`)
        .join(''),
    );
  await extended('passwd', (name, id) => `${name}:x:${id}:${id}::/home/${name}:/bin/bash`);
  await extended('group', (name, id) => `${name}:x:${id}:`);
  // No password, but not locked: sshd accepts a key.
  await extended('shadow', (name) => `${name}:*:19000:0:99999:7:::`);
  for (const [name, id] of Object.entries(users)) {
    const home = join(folder, 'home', name);
    await mkdir(home, { recursive: true });
    await chown(home, id, id);
  }
  return folder;
}

/**
 * What a machine sees where. Its /srv is its own, and its /tmp, too, as on a real node; but not the login node's, because its SSH
 * server's files are in this machine's /tmp.
 */
export async function bindsOf(folder: string, machine: string): Promise<[path: string, source: string][]> {
  const own = join(folder, 'machines', machine);
  await mkdir(join(own, 'srv'), { recursive: true });
  await mkdir(join(own, 'tmp'), { recursive: true });
  await chmod(join(own, 'tmp'), 0o1777);
  return [
    ['/etc', join(folder, 'etc')],
    ['/home', join(folder, 'home')],
    ['/srv', join(own, 'srv')],
    ...(machine === 'login' ? [] : [['/tmp', join(own, 'tmp')] satisfies [string, string]]),
  ];
}
