/**
 * For tests: Kubernetes' own API server, controller manager and scheduler, built from their Go modules, with Debian's etcd, as a
 * machine of namespaces on this one. It has no node: a test writes what a kubelet would. Needs root, Go and `etcd-server`.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMachineNetwork } from '../../testing/machine-network.ts';
import { raiseMachine } from '../../testing/machine.ts';
import { buildGo, hasGo } from './go-programs.ts';

/** Why none can be raised here; undefined where one can. */
export const noControlPlane: string | undefined =
  process.platform !== 'linux' || process.getuid?.() !== 0
    ? 'it needs Linux and root'
    : !hasGo
      ? 'Go is not installed'
      : existsSync('/usr/bin/etcd')
        ? undefined
        : '/usr/bin/etcd is missing: apt-get install etcd-server';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface ControlPlane {
  /** As an administrator. */
  request(method: string, path: string, body?: unknown, type?: string): Promise<Answer>;
  /** The last lines of what its programs logged. */
  log(): Promise<string>;
  close(): Promise<void>;
}

const port = 6443;
const kubeconfig = (token: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [
      {
        name: 'test',
        cluster: {
          server: `https://127.0.0.1:${port}`,
          'certificate-authority': '/srv/certificates/apiserver.crt',
          'tls-server-name': 'localhost',
        },
      },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
  });

const boot = (program: string): string => `cd /srv
start() { name=$1; shift; "$@" >"/srv/$name.log" 2>&1 & }
start etcd etcd --data-dir /srv/etcd --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \\
  --listen-peer-urls http://127.0.0.1:2380
start apiserver ${program} apiserver --etcd-servers http://127.0.0.1:2379 --secure-port ${port} --cert-dir /srv/certificates \\
  --token-auth-file /srv/tokens.csv --authorization-mode RBAC --service-cluster-ip-range 10.96.0.0/16 \\
  --service-account-issuer https://kubernetes.default.svc --service-account-key-file /srv/key.pub \\
  --service-account-signing-key-file /srv/key.pem --disable-admission-plugins ServiceAccount
tries=0
until [ -s /srv/certificates/apiserver.crt ] || [ $tries -ge 600 ]; do tries=$((tries + 1)); sleep 0.1; done
start controllers ${program} controllers --kubeconfig /srv/kubeconfig --leader-elect=false \\
  --controllers job-controller,namespace-controller,garbage-collector-controller,endpointslice-controller,pod-garbage-collector-controller
start scheduler ${program} scheduler --kubeconfig /srv/kubeconfig --leader-elect=false`;

export async function raiseControlPlane(): Promise<ControlPlane> {
  const program = buildGo('control-plane');
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-kubernetes-'));
  const token = randomBytes(24).toString('hex');
  await mkdir(join(folder, 'srv'));
  await chmod(folder, 0o755);
  const file = (name: string): string => join(folder, 'srv', name);
  await writeFile(file('tokens.csv'), `${token},admin,1,system:masters\n`);
  await writeFile(file('kubeconfig'), kubeconfig(token));
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(file('key.pem'), keys.privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  await writeFile(file('key.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
  const network = await createMachineNetwork();
  const machine = await raiseMachine({
    name: 'control-plane',
    binds: [['/srv', join(folder, 'srv')]],
    boot: boot(program),
  });
  await network.plug(machine, '10.79.0.1');
  // The API server advertises the address of the default route.
  await machine.sh('ip route add default dev eth0');
  await machine.boot();

  const close = async (): Promise<void> => {
    await machine.close();
    await network.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const log = async (): Promise<string> => await machine.sh('tail -n 15 /srv/*.log');
  let requests = 0;
  const request: ControlPlane['request'] = async (method, path, body, type = 'application/json') => {
    requests += 1;
    const sent = `request-${requests}.json`;
    await writeFile(file(sent), body === undefined ? '' : JSON.stringify(body));
    const printed =
      await machine.sh(`curl -sS --cacert /srv/certificates/apiserver.crt -X ${method} -w '\\n%{http_code}' \\
      -H 'Authorization: Bearer ${token}' -H 'Content-Type: ${type}' -H 'Accept: application/json' \\
      --data-binary @/srv/${sent} 'https://localhost:${port}${path}'`);
    await rm(file(sent));
    const at = printed.lastIndexOf('\n');
    const text = printed.slice(0, at);
    return {
      status: Number(printed.slice(at + 1)),
      body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text,
    };
  };
  try {
    for (let tries = 0; ; tries += 1) {
      const answer = await request('GET', '/readyz').catch((error: unknown) => ({
        status: 0,
        body: String(error),
      }));
      if (answer.status === 200) break;
      if (tries > 600)
        throw new Error(`the API server is not ready: ${JSON.stringify(answer)}\n${await log()}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { request, log, close };
}
