/** Reads kubeconfigs with the official client, which is loaded when the first cluster is used. */
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import type * as Client from '@kubernetes/client-node';
import { RinglabError } from '../../shared/base/errors.ts';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { loadPart } from '../base/load-part.ts';
import { ownProxyFor } from '../base/proxy-variables.ts';
import { reasonOf } from '../base/reason.ts';
import { phrase } from '../i18n/index.ts';
import { execInfo, LoginExec } from './exec-info.ts';
import { fieldsIn, impersonationOf, type Fields, type UserFields } from './kubeconfig-fields.ts';

/** Its generated types alone take a noticeable part of a second to load. */
export const client = (): Promise<typeof Client> => loadPart(() => import('@kubernetes/client-node'));

interface LoginProgram {
  readonly exec: LoginExec;
  /** Of its variable KUBERNETES_EXEC_INFO. */
  readonly info: string;
}

export interface Login {
  readonly config: Client.KubeConfig;
  /** That logs in. */
  readonly program: LoginProgram | undefined;
  /** Of each request, beside those that the client makes. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The context's name. */
  readonly name: string;
  readonly server: string;
  readonly namespace: string;
}

/** The same cluster and user, with credentials that were asked for already. */
export async function withCredentials(config: Client.KubeConfig, given: object): Promise<Client.KubeConfig> {
  const { KubeConfig } = await client();
  const ready = new KubeConfig();
  ready.loadFromOptions(config);
  ready.applyToHTTPSOptions = (options) => {
    Object.assign(options, given);
    return Promise.resolve();
  };
  return ready;
}

/** The paths that `kubectl` would read. */
function pathsOf({ kubeconfig }: KubernetesTarget, home: string): string[] {
  const chosen = kubeconfig?.trim() ?? '';
  if (chosen !== '') return [chosen.startsWith('~/') ? join(home, chosen.slice(2)) : chosen];
  const listed = (process.env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  return listed.length > 0 ? listed : [join(home, '.kube', 'config')];
}

/** Paths are absolute. */
interface File extends Fields {
  readonly config: Client.KubeConfig;
}

/** Undefined where it is empty. Throws the client's and the system's errors. */
async function readOne(path: string): Promise<File | undefined> {
  const { KubeConfig } = await client();
  const { parse } = await loadPart(() => import('yaml'));
  // Read before the client does, so that a missing file is named as such.
  const document: unknown = parse(await readFile(path, 'utf8'));
  if (document === null) return undefined;
  const config = new KubeConfig();
  config.loadFromFile(path);
  const folder = dirname(path);
  config.users = config.users.map((user) => {
    const { data: exec } = LoginExec.safeParse(user.exec);
    // A mere name is looked for in the PATH.
    return exec?.command.includes(sep) === true
      ? { ...user, exec: { ...exec, command: resolve(folder, exec.command) } }
      : user;
  });
  const { users, clusters } = fieldsIn(document);
  for (const [name, fields] of users)
    if (fields.tokenFile !== undefined)
      users.set(name, { ...fields, tokenFile: resolve(folder, fields.tokenFile) });
  return { config, users, clusters };
}

/** As kubectl merges them: of entries with the same name, and of current contexts, the first counts. */
async function merged(files: readonly File[]): Promise<File> {
  const { KubeConfig } = await client();
  const config = new KubeConfig();
  const users = new Map<string, UserFields>();
  const clusters = new Map<string, unknown>();
  for (const { config: one, users: theirs, clusters: extended } of files) {
    for (const cluster of one.clusters) {
      if (config.getCluster(cluster.name) !== null) continue;
      config.addCluster(cluster);
      clusters.set(cluster.name, extended.get(cluster.name));
    }
    for (const context of one.contexts)
      if (config.getContextObject(context.name) === null) config.addContext(context);
    for (const user of one.users) {
      if (config.getUser(user.name) !== null) continue;
      config.addUser(user);
      const fields = theirs.get(user.name);
      if (fields !== undefined) users.set(user.name, fields);
    }
  }
  // It is undefined where a file names none, whatever its type says.
  const [current = ''] = files.flatMap(({ config: one }) => one.getCurrentContext() || []);
  config.setCurrentContext(current);
  return { config, users, clusters };
}

const unreadable = (path: string, error: unknown): RinglabError => {
  const said = reasonOf(error);
  const reason = typeof said === 'string' ? said.slice(0, 500) : said;
  return new RinglabError('cluster_config', { path, reason }, { cause: error });
};

/** On this computer: nobody else reads what is sent to it. */
const isHere = (url: string): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(URL.parse(url)?.hostname ?? '');

/** As kubectl: the client knows a kubeconfig's own proxy alone. Undefined for a direct connection. */
function proxyTo(server: string): string | undefined {
  const url = URL.parse(server);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  const { protocol, hostname, port } = url;
  if (isHere(server)) return undefined;
  return ownProxyFor(protocol, hostname, Number(port) || (protocol === 'https:' ? 443 : 80))?.href;
}

async function readAll(paths: readonly string[]): Promise<File> {
  const files: File[] = [];
  for (const path of paths) {
    try {
      const one = await readOne(path);
      if (one !== undefined) files.push(one);
    } catch (error) {
      // As kubectl: of several files some may be missing.
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (isMissing && paths.length > 1) continue;
      throw unreadable(path, error);
    }
  }
  return await merged(files);
}

/** As kubectl takes an address without a scheme: HTTPS where something is said of TLS. */
function withScheme(cluster: Client.Cluster, user: Client.User | null): Client.Cluster {
  if (/^[a-z][\w+.-]*:\/\//i.test(cluster.server)) return cluster;
  const ofTls = [cluster.caFile, cluster.caData, cluster.skipTLSVerify, user?.certFile, user?.certData];
  return { ...cluster, server: `${ofTls.some(Boolean) ? 'https' : 'http'}://${cluster.server}` };
}

const isClear = ({ server }: Client.Cluster): boolean => server.startsWith('http:');

/** As the client has to know it: with the proxy to it. */
function withWay(cluster: Client.Cluster): Client.Cluster {
  const proxyUrl = cluster.proxyUrl || proxyTo(cluster.server);
  return {
    ...cluster,
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    // It refuses HTTP otherwise, which has nothing to verify.
    skipTLSVerify: cluster.skipTLSVerify || isClear(cluster),
  };
}

/** Whether others can read what is sent to it. */
const isReadable = (cluster: Client.Cluster): boolean =>
  isClear(cluster) && !(isHere(cluster.server) && (!cluster.proxyUrl || isHere(cluster.proxyUrl)));

function impersonated(user: string, fields: UserFields | undefined, path: string): Login['headers'] {
  try {
    return impersonationOf(user, fields);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Throws `cluster_config`. Read anew at each login: tools that renew a token write it there. */
export async function readLogin(target: KubernetesTarget, home: string): Promise<Login> {
  const paths = pathsOf(target, home);
  const { config, users, clusters } = await readAll(paths);
  const path = paths.join(delimiter);
  const wanted = target.context?.trim() ?? '';
  if (wanted !== '') config.setCurrentContext(wanted);
  const name = config.getCurrentContext();
  const context = config.getContextObject(name);
  const named = config.getCurrentCluster();
  if (context === null || named === null)
    throw new RinglabError('cluster_config', {
      path,
      reason: phrase('reasons.kubernetes.noContext', {
        context: name,
        known: config.getContexts().map((one) => one.name),
      }),
    });
  // As kubectl: without a user requests are anonymous, with a wrong one they are not made.
  const user = config.getUser(context.user);
  if (context.user && user === null)
    throw new RinglabError('cluster_config', {
      path,
      reason: phrase('reasons.kubernetes.noUser', { context: name, user: context.user }),
    });
  if (user === null) {
    // Without one the client passes over what the cluster says of TLS.
    config.contexts = config.contexts.map((one) => (one === context ? { ...one, user: '' } : one));
    config.addUser({ name: '' });
  }
  const cluster = withScheme(named, user);
  const fields = users.get(context.user);
  const { data: exec } = LoginExec.safeParse(user?.exec);
  const program = exec && {
    exec,
    info: await execInfo(exec, cluster, clusters.get(cluster.name)).catch((error: unknown) => {
      throw unreadable(cluster.caFile ?? path, error);
    }),
  };
  const { server } = cluster;
  const reached = withWay(cluster);
  const secrets = [user?.token, user?.username, user?.exec, user?.authProvider, fields?.tokenFile];
  if (isReadable(reached) && secrets.some(Boolean))
    throw new RinglabError('cluster_config', {
      path,
      reason: phrase('reasons.kubernetes.clear', { server }),
    });
  config.clusters = config.clusters.map((one) => (one.name === context.cluster ? reached : one));
  const tokenFile = fields?.tokenFile;
  if (tokenFile !== undefined) {
    const token = await readFile(tokenFile, 'utf8').catch((error: unknown) => {
      throw unreadable(tokenFile, error);
    });
    config.users = config.users.map((one) =>
      one.name === context.user ? { ...one, token: token.trim() } : one,
    );
  }
  return {
    config,
    program,
    headers: impersonated(context.user, fields, path),
    name,
    server: server.replace(/\/+$/, ''),
    namespace:
      target.namespace ??
      (context.namespace === undefined || context.namespace === '' ? 'default' : context.namespace),
  };
}
