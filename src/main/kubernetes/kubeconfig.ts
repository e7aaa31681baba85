/** Reads kubeconfigs with the official client, which is loaded when the first cluster is used. */
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type * as Client from '@kubernetes/client-node';
import { RinglabError } from '../../shared/base/errors.ts';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { phrase } from '../i18n/index.ts';

/** Its generated types alone take a noticeable part of a second to load. */
export const client = async (): Promise<typeof Client> => await import('@kubernetes/client-node');

export interface Login {
  readonly config: Client.KubeConfig;
  /** The context's name. */
  readonly name: string;
  readonly server: string;
  readonly namespace: string;
}

/** The paths that `kubectl` would read. */
function pathsOf({ kubeconfig }: KubernetesTarget, home: string): string[] {
  const chosen = kubeconfig?.trim() ?? '';
  if (chosen !== '') return [chosen.startsWith('~/') ? join(home, chosen.slice(2)) : chosen];
  const listed = (process.env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  return listed.length > 0 ? listed : [join(home, '.kube', 'config')];
}

/** Throws `cluster_config`. Read anew at each login: tools that renew a token write it there. */
export async function readLogin(target: KubernetesTarget, home: string): Promise<Login> {
  const paths = pathsOf(target, home);
  const { KubeConfig } = await client();
  const config = new KubeConfig();
  for (const [index, path] of paths.entries()) {
    try {
      // Read before the client does, so that a missing file is named as such.
      await readFile(path);
      const one = index === 0 ? config : new KubeConfig();
      one.loadFromFile(path);
      if (index > 0) config.mergeConfig(one, true);
    } catch (error) {
      // As kubectl: of several files some may be missing.
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (isMissing && paths.length > 1) continue;
      const reason = error instanceof Error ? error.message.slice(0, 500) : String(error);
      throw new RinglabError('cluster_config', { path, reason }, { cause: error });
    }
  }
  const path = paths.join(delimiter);
  const wanted = target.context?.trim() ?? '';
  if (wanted !== '') config.setCurrentContext(wanted);
  const name = config.getCurrentContext();
  const context = config.getContextObject(name);
  const server = config.getCurrentCluster()?.server;
  if (context === null || server === undefined)
    throw new RinglabError('cluster_config', {
      path,
      reason: phrase('reasons.kubernetes.noContext', {
        context: name,
        known: config.getContexts().map((one) => one.name),
      }),
    });
  return {
    config,
    name,
    server: server.replace(/\/+$/, ''),
    namespace:
      target.namespace ??
      (context.namespace === undefined || context.namespace === '' ? 'default' : context.namespace),
  };
}
