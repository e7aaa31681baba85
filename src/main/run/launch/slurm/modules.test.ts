/** The lines by a real shell, with a site's files below a folder of the test. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { moduleLines } from '../../../../shared/lab/slurm/slurm-environment.ts';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'ringlab-modules-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What is loaded. @param file that says what `module` is */
function loaded(file: string, env: Record<string, string> = {}): string {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'module() { loaded="$loaded $2"; }\n');
  const script = [...moduleLines(['gcc/13', 'cuda/12.1']), 'echo $loaded'].join('\n');
  const own = script.replaceAll(/(\/etc|\/usr\/share)\//g, `${root}$1/`);
  return execFileSync('/bin/sh', ['-c', own], { env: { PATH: '/usr/bin:/bin', ...env }, encoding: 'utf8' });
}

it.each([
  'etc/profile.d/modules.sh',
  'etc/profile.d/z00_lmod.sh',
  'etc/profile.d/10-modules-site.sh',
  'usr/share/lmod/lmod/init/sh',
  'etc/profile',
])('modules are loaded where %s says what `module` is', (file) => {
  expect(loaded(file)).toBe('gcc/13 cuda/12.1\n');
});

it('modules are loaded where a variable says where they are, and beside a file that does not say it', () => {
  mkdirSync(join(root, 'etc/profile.d'), { recursive: true });
  writeFileSync(join(root, 'etc/profile.d/modules.sh'), 'other=1\n');
  expect(loaded('opt/lmod/init/sh', { LMOD_PKG: join(root, 'opt/lmod') })).toBe('gcc/13 cuda/12.1\n');
  expect(loaded('opt/modules/init/sh', { MODULESHOME: join(root, 'opt/modules') })).toBe(
    'gcc/13 cuda/12.1\n',
  );
});

it('a job ends where there are no modules', () => {
  const script = moduleLines(['cuda/12.1'])
    .join('\n')
    .replaceAll(/(\/etc|\/usr\/share)\//g, `${root}$1/`);
  expect(() =>
    execFileSync('/bin/sh', ['-c', script], { stdio: 'pipe', env: { PATH: '/usr/bin:/bin' } }),
  ).toThrow();
});
