/** For tests: programs built from Kubernetes' published Go modules. The first build takes minutes, with Go's cache seconds. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const sources = join(import.meta.dirname, 'go');
const programs = join(import.meta.dirname, '..', '..', '..', '..', '..', '..', '.cache', 'kubernetes');

export const hasGo = spawnSync('go', ['version']).status === 0;

/** @returns its path. Throws with the compiler's words. */
export function buildGo(name: 'api-rules' | 'control-plane' | 'kubelet-streams'): string {
  const program = join(programs, name);
  const built = spawnSync('go', ['build', '-o', program, `./${name}`], { cwd: sources, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`${name} was not built: ${built.stderr}`);
  return program;
}
