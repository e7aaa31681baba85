/**
 * For tests: starts the pods of a manifest where there is no cluster. A stand-in, no Kubernetes: each pod is a machine of
 * namespaces with its volumes, its name in every pod's hosts file, a root file system that is read only, and the user and
 * rights of its security context; its image is this machine. Nothing is scheduled, limited or started again. Needs root.
 */
import { spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, PodSpec } from 'kubernetes-types/core/v1';
import { createMachineNetwork } from '../../testing/machine-network.ts';
import { raiseMachine, type Machine } from '../../testing/machine.ts';
import type { Manifest } from '../manifest.ts';

interface StandInPod {
  readonly name: string;
  /** The exit code of its container, or of an init container that failed. */
  readonly ended: Promise<number>;
  /** What it has printed so far. */
  log(): string;
  /** As Kubernetes does to end a pod. */
  terminate(): Promise<void>;
}

export interface StandInOptions {
  /** The folder that stands for the PersistentVolumeClaim; undefined: the manifest names none. */
  readonly claim?: string | undefined;
  /** The image's PATH. */
  readonly path: string;
}

export interface StandInCluster {
  readonly pods: readonly StandInPod[];
  close(): Promise<void>;
}

export async function startPods(manifest: Manifest, options: StandInOptions): Promise<StandInCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-pods-'));
  await chmod(folder, 0o755);
  const network = await createMachineNetwork();
  const jobs = manifest.objects.flatMap((one) => (one.kind === 'Job' ? [one] : []));
  const planned = jobs.flatMap(({ metadata, spec }) =>
    Array.from({ length: spec?.completions ?? 0 }, (_, index) => ({
      name: `${metadata?.name}-${index}`,
      index,
      spec: spec?.template.spec,
    })),
  );
  const addressOf = (at: number): string => `10.78.0.${at + 1}`;
  const hosts = planned.map(({ name, spec }, at) => `${addressOf(at)} ${name}.${spec?.subdomain} ${name}\n`);
  await writeFile(join(folder, 'hosts'), `127.0.0.1 localhost\n${hosts.join('')}`);
  const machines: Machine[] = [];
  const pods = await Promise.all(
    planned.map(async ({ name, index, spec }, at) => {
      if (spec === undefined) throw new Error(`${name} has no pod`);
      const volumes = await volumesOf(manifest, spec, join(folder, name), options.claim);
      const machine = await raiseMachine({
        name,
        boot: 'mount -o remount,bind,ro /',
        binds: [
          ['/etc/hosts', join(folder, 'hosts')],
          ...(spec.containers[0]?.volumeMounts ?? [])
            .filter(({ mountPath }) => mountPath !== '/dev/shm')
            // The folders themselves are in this machine's.
            .toSorted((a, b) => Number(a.mountPath === '/tmp') - Number(b.mountPath === '/tmp'))
            .map(({ mountPath, name: volume }): [string, string] => [mountPath, volumes.get(volume) ?? '']),
        ],
      });
      machines.push(machine);
      await network.plug(machine, addressOf(at));
      await machine.boot();
      return startPod(machine, spec, { JOB_COMPLETION_INDEX: String(index), PATH: options.path });
    }),
  );
  return {
    pods,
    async close() {
      await Promise.all(machines.map((machine) => machine.close()));
      await network.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Folders by the volume's name: as kubelet, with fsGroup's rights. */
async function volumesOf(
  { objects }: Manifest,
  spec: PodSpec,
  folder: string,
  claim: string | undefined,
): Promise<Map<string, string>> {
  const group = spec.securityContext?.fsGroup ?? 0;
  const found = new Map<string, string>();
  for (const { name, persistentVolumeClaim, configMap, secret } of spec.volumes ?? []) {
    if (persistentVolumeClaim !== undefined && claim !== undefined) {
      found.set(name, claim);
      continue;
    }
    const own = join(folder, name);
    await mkdir(own, { recursive: true });
    await chown(own, 0, group);
    await chmod(own, 0o2777);
    found.set(name, own);
    const texts = objects.flatMap((one): Record<string, string>[] => {
      if (one.kind === 'ConfigMap' && 'data' in one && one.metadata?.name === configMap?.name)
        return [one.data ?? {}];
      if (one.kind === 'Secret' && 'stringData' in one && one.metadata?.name === secret?.secretName)
        return [one.stringData ?? {}];
      return [];
    });
    for (const [key, text] of texts.flatMap(Object.entries<string>)) {
      await writeFile(join(own, key), text);
      await chown(join(own, key), 0, group);
      await chmod(join(own, key), secret?.defaultMode ?? configMap?.defaultMode ?? 0o644);
    }
  }
  return found;
}

function startPod(machine: Machine, spec: PodSpec, variables: Readonly<Record<string, string>>): StandInPod {
  const { runAsUser = 0, runAsGroup = 0, fsGroup = runAsGroup } = spec.securityContext ?? {};
  const as = [`--reuid=${runAsUser}`, `--regid=${runAsGroup}`, `--groups=${fsGroup}`];
  const confined = ['setpriv', ...as, '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
  let log = '';
  const run = async ({ command = [], env = [] }: Container): Promise<number> => {
    const named = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
    const inMachine = [...machine.through, 'sh', '-c', 'echo $$ >/run/container.pid; exec "$@"', 'sh'];
    const [program = '', ...rest] = [...inMachine, ...confined, ...command];
    const child = spawn(program, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...variables, ...Object.fromEntries(named) },
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-200_000);
      });
    return await new Promise((resolve) => child.once('close', (code) => resolve(code ?? 137)));
  };
  const whole = async (): Promise<number> => {
    for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
      const code = await run(container);
      if (code !== 0) return code;
    }
    return 0;
  };
  return {
    name: machine.name,
    ended: whole(),
    log: () => log,
    async terminate() {
      await machine.sh('kill -TERM "$(cat /run/container.pid)"');
    },
  };
}
