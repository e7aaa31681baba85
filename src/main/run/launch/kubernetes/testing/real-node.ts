/**
 * For tests: a node of a control plane as clusters have it: Kubernetes' own kubelet with Debian's containerd, runc and network
 * plugins, in a machine of namespaces, so that all of it ends with the machine. What stands in for something else: every image is
 * this machine's /usr, and names of pods are not served. Needs root, cgroups (v1) that it may write, and `containerd`.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { raiseMachine } from '../../testing/machine.ts';
import type { ControlPlane } from './control-plane.ts';
import { buildGo } from './go-programs.ts';
import { packImage } from './image.ts';

const execute = promisify(execFile);

/** Why none can be raised here; undefined where one can. Kubernetes 1.32 takes either kind of cgroups; these tests were written on v1. */
export const noRealNode: string | undefined = !existsSync('/usr/bin/containerd')
  ? '/usr/bin/containerd is missing: apt-get install containerd runc containernetworking-plugins'
  : existsSync('/sys/fs/cgroup/memory/tasks')
    ? undefined
    : 'no cgroups (v1) for memory';

export interface RealNode {
  /** The last lines of what its programs logged. */
  log(): Promise<string>;
  close(): Promise<void>;
}

const address = '10.79.0.2';
/** In the machine. */
const socket = '/srv/containerd.sock';
const pause = 'ringlab.test/pause:1';

/** A computer without the right to lower it (`CAP_SYS_RESOURCE`) keeps each container's OOM score as it is. */
const runtime = `version = 2
root = "/srv/images"
state = "/srv/state"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "${pause}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      base_runtime_spec = "/srv/spec.json"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/srv/network"
`;
const network = {
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'pods',
      isGateway: true,
      ipam: {
        type: 'host-local',
        subnet: '10.88.0.0/24',
        dataDir: '/srv/addresses',
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
};
const kubelet = (cgroup: string): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  cgroupDriver: 'cgroupfs',
  cgroupRoot: `/${cgroup}`,
  containerRuntimeEndpoint: `unix://${socket}`,
  enforceNodeAllocatable: [],
  // The disk of a computer that runs tests may be nearly full.
  evictionHard: {},
  imageGCHighThresholdPercent: 100,
  failSwapOn: false,
  failCgroupV1: false,
  podLogsDir: '/srv/logs',
});
const boot = (program: string, images: readonly string[]): string => `cd /srv
ip route add default via ${address.replace(/\d+$/, '1')} 2>/dev/null
sysctl -qw net.ipv4.ip_forward=1
containerd -c /srv/containerd.toml >/srv/containerd.log 2>&1 &
tries=0
until ctr -a ${socket} version >/dev/null 2>&1 || [ $tries -ge 300 ]; do tries=$((tries + 1)); sleep 0.1; done
for image in ${images.map((_, at) => `/srv/image-${String(at)}.tar`).join(' ')}; do
  ctr -a ${socket} -n k8s.io images import --snapshotter native "$image" >>/srv/import.log 2>&1
done
${program} --kubeconfig /srv/kubeconfig --config /srv/kubelet.json --root-dir /srv/kubelet --cert-dir /srv/kubelet-certificates \\
  --hostname-override NAME --node-ip ${address} >/srv/kubelet.log 2>&1 &`;

/**
 * @param name the node's
 * @param images names under which pods may ask for this machine's /usr
 * @param kubeconfig of an account that may do what a kubelet does
 */
export async function startRealNode(
  plane: ControlPlane,
  { name, images, kubeconfig }: { name: string; images: readonly string[]; kubeconfig: string },
): Promise<RealNode> {
  const program = buildGo('kubelet');
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-kubelet-'));
  await chmod(folder, 0o755);
  const cgroup = basename(folder);
  const file = (path: string): string => join(folder, 'srv', path);
  for (const path of ['srv/network', 'lib', 'log']) await mkdir(join(folder, path), { recursive: true });
  const all = [pause, ...images];
  const pausing = buildGo('pause');
  for (const [at, image] of all.entries()) await packImage(image, pausing, file(`image-${String(at)}.tar`));
  await writeFile(file('containerd.toml'), runtime);
  await writeFile(file('network/10-pods.conflist'), JSON.stringify(network));
  await writeFile(file('kubelet.json'), JSON.stringify(kubelet(cgroup)));
  await writeFile(file('spec.json'), JSON.stringify(await containerSpec()));
  const config = (await readFile(kubeconfig, 'utf8')).replaceAll(plane.network.outside, '10.79.0.1');
  await writeFile(file('kubeconfig'), config, { mode: 0o600 });
  for (const group of await hierarchies()) await mkdir(join(group, cgroup), { recursive: true });
  const machine = await raiseMachine({
    name,
    boot: boot(program, all).replace('NAME', name),
    binds: [
      // Before what they are under is covered.
      ['/mnt/dpkg', '/var/lib/dpkg'],
      ['/srv', join(folder, 'srv')],
      ['/var/lib', join(folder, 'lib')],
      ['/var/log', join(folder, 'log')],
    ],
  });
  const log = async (): Promise<string> => await machine.sh('tail -n 30 /srv/*.log');
  const close = async (): Promise<void> => {
    await machine.close();
    for (const group of await hierarchies())
      await execute('find', [join(group, cgroup), '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+']);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await plane.network.plug(machine, address);
    await machine.boot();
    await ready(plane, name);
  } catch (error) {
    const said = await log().catch(() => '');
    await close();
    throw new Error(`${name} is not ready:\n${said}`, { cause: error });
  }
  return { log, close };
}

/** The kubelet says so itself; that it may be used is otherwise said by a controller, which would take stand-ins for lost. */
async function ready(plane: ControlPlane, name: string): Promise<void> {
  const path = `/api/v1/nodes/${name}`;
  for (let tries = 0; tries < 300; tries += 1) {
    const { body } = await plane.request('GET', path);
    if (/"type":"Ready","status":"True"|"status":"True"[^}]*"type":"Ready"/.test(JSON.stringify(body))) {
      await plane.request('PATCH', path, { spec: { taints: null } }, 'application/merge-patch+json');
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  throw new Error('the kubelet does not report that it is ready');
}

/** Where cgroups of each kind are. */
async function hierarchies(): Promise<string[]> {
  const mounts = await readFile('/proc/mounts', 'utf8');
  return [...mounts.matchAll(/^\S+ (\S+) cgroup2? /gm)].flatMap(([, path]) => path ?? []);
}

/** What each container has beside what its pod says: this machine's programs, as its image. */
async function containerSpec(): Promise<object> {
  const { stdout } = await execute('ctr', ['oci', 'spec']);
  // What `ctr` printed.
  const spec = JSON.parse(stdout) as { mounts: object[] };
  const from = (destination: string, source = destination): object => {
    const options = ['rbind', 'ro'];
    return { destination, type: 'bind', source, options };
  };
  return {
    ...spec,
    mounts: [
      ...spec.mounts,
      from('/usr'),
      from('/etc/alternatives'),
      from('/etc/ld.so.cache'),
      from('/var/lib/dpkg', '/mnt/dpkg'),
    ],
  };
}
