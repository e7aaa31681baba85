/** For tests: Apptainer, built from its published Go module, as a site installs it in /usr/local; and an image. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const module = 'github.com/apptainer/apptainer';
const version = 'v1.4.1';
/** Of the module's files, as in a go.sum: not every proxy has the checksum database's entry. */
const sum = 'h1:rkify3P3kwgkAbD1sEI04ZOPvatROgSH/wqr8EFGwZY=';
const folder = join(import.meta.dirname, '..', '..', '..', '..', '..', '..', '.cache', 'apptainer');

const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
/** Why it cannot be built here; undefined where it can. */
export const noApptainer =
  has('go', 'version') && has('cc', '--version') && has('make', '--version')
    ? undefined
    : 'Apptainer is built by Go, a C compiler and make';

/** Throws with the program's last words. */
function run(program: string, args: readonly string[], cwd: string): string {
  const environment = {
    ...process.env,
    GOFLAGS: '-mod=mod',
    GONOSUMDB: module,
    // Its makefile empties Go's cache.
    GOCACHE: join(folder, 'go-build'),
  };
  const done = spawnSync(program, args, { cwd, env: environment, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (done.status === 0) return done.stdout;
  throw new Error(`${program} ${args.join(' ')}: ${`${done.stdout}\n${done.stderr}`.slice(-2000)}`);
}

const Download = z.object({ Dir: z.string(), Sum: z.string() });

/** Returns the folder that stands for /usr/local. The first build takes some minutes. */
export function buildApptainer(): string {
  const root = join(folder, version);
  const local = join(root, 'usr', 'local');
  if (existsSync(join(root, 'done'))) return local;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const found = Download.parse(
    JSON.parse(run('go', ['mod', 'download', '-json', `${module}@${version}`], root)),
  );
  if (found.Sum !== sum) throw new Error(`${module}@${version} has another checksum: ${found.Sum}`);
  const source = join(folder, 'source');
  cpSync(found.Dir, source, { recursive: true });
  // Files of Go's cache are read-only, and programs among them not executable.
  run('chmod', ['-R', 'u+rwX', source], root);
  run('chmod', ['-R', 'a+rx', 'scripts', 'mlocal', 'makeit', 'mconfig'], source);
  writeFileSync(join(source, 'VERSION'), version.slice(1));
  const without = ['--without-suid', '--without-seccomp', '--without-libsubid', '--without-network'];
  run('./mconfig', [...without, '-p', '/usr/local'], source);
  const build = join(source, 'builddir');
  run('make', [], build);
  run('make', ['install', `DESTDIR=${root}`], build);
  configure(join(local, 'etc', 'apptainer', 'apptainer.conf'));
  rmSync(source, { recursive: true, force: true });
  rmSync(join(folder, 'go-build'), { recursive: true, force: true });
  writeFileSync(join(root, 'done'), '');
  return local;
}

/** A site's configuration: the image has the node's /usr, so that it need not hold a distribution of its own. */
function configure(path: string): void {
  const text = readFileSync(path, 'utf8').replace(
    /^root default capabilities = .*$/m,
    'root default capabilities = no',
  );
  writeFileSync(path, `${text}\nbind path = /usr\n`);
}

/** An image that is a folder, with what is not in /usr. */
export function makeImage(image: string): void {
  for (const name of ['usr', 'proc', 'sys', 'dev', 'tmp', 'var/tmp', 'home', 'root', 'run', 'etc'])
    mkdirSync(join(image, name), { recursive: true });
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${name}`, join(image, name));
  for (const name of ['passwd', 'group', 'alternatives', 'ld.so.cache', 'nsswitch.conf'])
    cpSync(join('/etc', name), join(image, 'etc', name), { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(image, 'etc', 'ringlab-image'), 'inside\n');
  for (const name of ['tmp', 'var/tmp']) chmodSync(join(image, name), 0o1777);
}
