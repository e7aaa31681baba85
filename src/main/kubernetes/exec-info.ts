/** Makes what kubectl gives a login program in KUBERNETES_EXEC_INFO: an ExecCredential of client.authentication.k8s.io/v1 or v1beta1. */
import { readFile } from 'node:fs/promises';
import type { Cluster } from '@kubernetes/client-node';
import * as z from 'zod';

/** Of a user's `exec`, as far as it is ours to read. */
export const LoginExec = z.looseObject({
  command: z.string(),
  apiVersion: z.string().nullish(),
  installHint: z.string().nullish(),
  provideClusterInfo: z.boolean().nullish(),
});
export type LoginExec = z.infer<typeof LoginExec>;

/**
 * @param config of the cluster's extension client.authentication.k8s.io/exec, for this program
 * @returns JSON. Rejects where the cluster's certificate cannot be read
 */
export async function execInfo(
  { apiVersion, provideClusterInfo }: LoginExec,
  cluster: Cluster,
  config: unknown,
): Promise<string> {
  const { server, tlsServerName, skipTLSVerify, caData, caFile, proxyUrl } = cluster;
  const certificates = async (): Promise<string | undefined> =>
    caData || !caFile ? caData || undefined : (await readFile(caFile)).toString('base64');
  const given = provideClusterInfo === true && {
    server,
    'tls-server-name': tlsServerName || undefined,
    'insecure-skip-tls-verify': skipTLSVerify || undefined,
    'certificate-authority-data': await certificates(),
    'proxy-url': proxyUrl || undefined,
    config: config ?? undefined,
  };
  return JSON.stringify({
    apiVersion: apiVersion || 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    // Nobody could answer it: it has no terminal.
    spec: { ...(given === false ? {} : { cluster: given }), interactive: false },
  });
}
