/**
 * For tests: Kubernetes' own API server, controller manager and scheduler, built from their Go modules, with Debian's etcd, as a
 * machine of namespaces on this one, which is reached through a cable. It has no node: a test writes what a kubelet would, or
 * raises stand-ins (nodes.ts). Needs root, Go and `etcd-server`.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
// oxlint-disable-next-line no-restricted-imports -- the administrator of a test is no part of the program
import { request as overHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMachineNetwork, type MachineNetwork } from '../../testing/machine-network.ts';
import { raiseMachine } from '../../testing/machine.ts';
import { jobSetVersion } from '../../../../../shared/lab/job-set.ts';
import { buildGo, buildJobSet, hasGo } from './go-programs.ts';

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
  /** Where pods are plugged in; the API server's machine has 10.79.0.1 there. */
  readonly network: MachineNetwork;
  /** This machine's address, as the API server's machine sees it. */
  readonly inside: string;
  /** Writes a kubeconfig for use on this machine. `rival` may do nothing; `nobody` is not known. */
  kubeconfig(path: string, user: keyof typeof tokens): Promise<void>;
  /** Cuts the cable to the API server, and joins it again. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Installs JobSet, with its controller and its webhooks, from its module. */
  addJobSets(): Promise<void>;
  /** The last lines of what its programs logged. */
  log(): Promise<string>;
  close(): Promise<void>;
}

const port = 6443;
const address = '10.79.0.1';
const tokens = {
  admin: randomBytes(24).toString('hex'),
  rival: randomBytes(24).toString('hex'),
  nobody: randomBytes(24).toString('hex'),
};
/** @param authority path of the server's certificate */
const kubeconfig = (token: string, host: string, authority: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [
      {
        name: 'test',
        cluster: {
          server: `https://${host}:${port}`,
          'certificate-authority': authority,
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
  --service-account-signing-key-file /srv/key.pem --disable-admission-plugins ServiceAccount --kubelet-preferred-address-types InternalIP
tries=0
until [ -s /srv/certificates/apiserver.crt ] || [ $tries -ge 600 ]; do tries=$((tries + 1)); sleep 0.1; done
start controllers ${program} controllers --kubeconfig /srv/kubeconfig --leader-elect=false \\
  --controllers job-controller,namespace-controller,garbage-collector-controller,endpointslice-controller,pod-garbage-collector-controller,ttl-after-finished-controller
start scheduler ${program} scheduler --kubeconfig /srv/kubeconfig --leader-elect=false`;

export async function raiseControlPlane(): Promise<ControlPlane> {
  const program = buildGo('control-plane');
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-kubernetes-'));
  await mkdir(join(folder, 'srv'));
  await chmod(folder, 0o755);
  const file = (name: string): string => join(folder, 'srv', name);
  await writeFile(file('tokens.csv'), `${tokens.admin},admin,1,system:masters\n${tokens.rival},rival,2\n`);
  const certificate = join('certificates', 'apiserver.crt');
  await writeFile(file('kubeconfig'), kubeconfig(tokens.admin, '127.0.0.1', join('/srv', certificate)));
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(file('key.pem'), keys.privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  await writeFile(file('key.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
  const network = await createMachineNetwork();
  const machine = await raiseMachine({
    name: 'control-plane',
    binds: [['/srv', join(folder, 'srv')]],
    boot: boot(program),
  });
  await network.plug(machine, address);
  await network.plugOutside(machine);
  // The API server advertises the address of the default route.
  await machine.sh('ip route add default dev eth0');
  await machine.boot();

  const close = async (): Promise<void> => {
    await machine.close();
    await network.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const log = async (): Promise<string> => await machine.sh('tail -n 15 /srv/*.log');
  const request: ControlPlane['request'] = async (method, path, body, type = 'application/json') => {
    const ca = await readFile(file(certificate));
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    return await new Promise((resolve, reject) => {
      const options = {
        ...{ method, ca, host: network.outside, port, path, servername: 'localhost', agent: false },
        headers: {
          authorization: `Bearer ${tokens.admin}`,
          accept: 'application/json',
          'content-type': type,
          'content-length': Buffer.byteLength(text),
        },
      };
      const sent = overHttps(options, (answer) => {
        let said = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
        answer.once('error', reject);
        answer.once('end', () => {
          const parsed = said.startsWith('{') ? (JSON.parse(said) as unknown) : said;
          resolve({ status: answer.statusCode ?? 0, body: parsed });
        });
      });
      sent.once('error', reject);
      sent.end(text);
    });
  };
  const until = async (holds: () => Promise<boolean>, otherwise: string): Promise<void> => {
    for (let tries = 0; !(await holds().catch(() => false)); tries += 1) {
      if (tries > 600) throw new Error(`${otherwise}:\n${await log()}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  try {
    // The namespace is made some time after the server says that it is ready.
    const isReady = async (): Promise<boolean> =>
      (await request('GET', '/api/v1/namespaces/default')).status === 200;
    await until(isReady, 'the API server is not ready');
  } catch (error) {
    await close();
    throw error;
  }
  return {
    request,
    log,
    close,
    network,
    inside: network.inside,
    async addJobSets() {
      const { program: controller, definition } = buildJobSet();
      const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      const yaml = await readFile(definition, 'utf8');
      const added = await request('POST', definitions, yaml, 'application/yaml');
      if (added.status !== 201) throw new Error(`JobSet was not added: ${JSON.stringify(added)}`);
      const sets = `/apis/${jobSetVersion}/namespaces/default/jobsets`;
      const isThere = async (): Promise<boolean> => (await request('GET', sets)).status === 200;
      await until(isThere, 'JobSet is not served');
      await machine.sh(`KUBECONFIG=/srv/kubeconfig setsid ${controller} </dev/null >/srv/jobset.log 2>&1 &`);
      const metadata = { name: 'try' };
      const set = { apiVersion: jobSetVersion, kind: 'JobSet', metadata, spec: {} };
      // Its webhooks answer.
      const isJudged = async (): Promise<boolean> =>
        (await machine.sh('cat /srv/jobset.log')).includes('Starting workers') &&
        (await request('POST', `${sets}?dryRun=All`, set)).status === 201;
      await until(isJudged, 'JobSet’s webhooks do not answer');
    },
    async kubeconfig(path, user) {
      await writeFile(path, kubeconfig(tokens[user], network.outside, file(certificate)));
    },
    cut: () => network.setCable('down'),
    mend: () => network.setCable('up'),
  };
}
