/** For tests: programs built from Kubernetes' published Go modules. The first build takes minutes, with Go's cache seconds. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const sources = join(import.meta.dirname, 'go');
const programs = join(import.meta.dirname, '..', '..', '..', '..', '..', '..', '.cache', 'kubernetes');

export const hasGo = spawnSync('go', ['version']).status === 0;

/** JobSet has a module of its own: it was released with other versions of the same modules. */
const jobSetSources = join(import.meta.dirname, 'go-jobset');

const built = (program: string, folder: string, source: string): string => {
  const path = join(programs, program);
  const { status, stderr } = spawnSync('go', ['build', '-o', path, source], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} was not built: ${stderr}`);
  return path;
};

/** @returns its path. Throws with the compiler's words. */
export const buildGo = (
  name: 'api-rules' | 'control-plane' | 'kubelet' | 'kubelet-streams' | 'pause',
): string => built(name, sources, `./${name}`);

/** @returns the path of its program, and of the YAML that defines its kind. */
export function buildJobSet(): { readonly program: string; readonly definition: string } {
  const asked = ['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/jobset'];
  const program = built('jobset', jobSetSources, '.');
  const { stdout } = spawnSync('go', asked, { cwd: jobSetSources, encoding: 'utf8' });
  const definition = 'config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml';
  return { program, definition: join(stdout.trim(), definition) };
}
