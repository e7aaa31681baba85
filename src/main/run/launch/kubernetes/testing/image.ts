/** For tests: a container image of one static program and folders in which a machine's own are mounted. Format: OCI image layout 1.0. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const folders = [
  'usr',
  'etc/alternatives',
  'var/lib/dpkg',
  'tmp',
  'proc',
  'sys',
  'dev',
  'run',
  'mnt/ringlab/volume',
];
const links = ['bin', 'lib', 'lib64', 'sbin'];
const files: Readonly<Record<string, string>> = {
  'etc/ld.so.cache': '',
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
  'etc/group': 'root:x:0:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/**
 * @param program the path of the one that it has, and starts
 * @param archive the path of the tar file, for `ctr images import`
 */
export async function packImage(name: string, program: string, archive: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'ringlab-image-'));
  try {
    const root = join(work, 'root');
    for (const path of folders) await mkdir(join(root, path), { recursive: true });
    for (const path of links) await symlink(`usr/${path}`, join(root, path));
    for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text);
    await copyFile(program, join(root, 'program'));
    await execute('tar', ['-C', root, '--owner=0', '--group=0', '-cf', join(work, 'layer.tar'), '.']);
    const blobs = join(work, 'oci', 'blobs', 'sha256');
    await mkdir(blobs, { recursive: true });
    const put = async (bytes: Buffer | string, mediaType: string) => {
      const digest = createHash('sha256').update(bytes).digest('hex');
      await writeFile(join(blobs, digest), bytes);
      return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(bytes) };
    };
    const type = 'application/vnd.oci.image';
    const layer = await put(await readFile(join(work, 'layer.tar')), `${type}.layer.v1.tar`);
    const image = {
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: { Entrypoint: ['/program'], Env: ['PATH=/usr/bin:/bin'] },
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
    };
    const config = await put(JSON.stringify(image), `${type}.config.v1+json`);
    const mediaType = `${type}.manifest.v1+json`;
    const manifest = await put(
      JSON.stringify({ schemaVersion: 2, mediaType, config, layers: [layer] }),
      mediaType,
    );
    const annotations = { 'io.containerd.image.name': name };
    const index = { schemaVersion: 2, manifests: [{ ...manifest, annotations }] };
    await writeFile(join(work, 'oci', 'index.json'), JSON.stringify(index));
    await writeFile(join(work, 'oci', 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    await execute('tar', ['-C', join(work, 'oci'), '-cf', archive, '.']);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
