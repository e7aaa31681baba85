import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { readLogin, type Login } from './kubeconfig.ts';

const target: KubernetesTarget = { type: 'kubernetes', image: 'any' };
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'ringlab-kubeconfig-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true, force: true });
});

/** A file with one context, or with whatever text the test wants. */
const file = async (name: string, text: string): Promise<string> => {
  const path = join(home, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
};
interface Parts {
  readonly cluster?: string;
  readonly server?: string;
  readonly user?: string;
  readonly how?: object;
  readonly context?: string;
  readonly current?: string | undefined;
}
const kubeconfig = (parts: Parts): string => {
  const {
    cluster = 'kubernetes',
    server = 'https://one:6443',
    user = 'admin',
    how = { token: 'abc' },
  } = parts;
  const { context = 'one', current = context } = parts;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: { server } }],
    users: [{ name: user, user: how }],
    contexts: [{ name: context, context: { cluster, user } }],
    'current-context': current,
  });
};
/** With the files as KUBECONFIG names them. */
const login = async (...paths: string[]): Promise<Login> => {
  vi.stubEnv('KUBECONFIG', paths.join(delimiter));
  return await readLogin(target, home);
};
const authorization = async ({ config }: Login): Promise<unknown> => {
  const options: { headers?: Record<string, string> } = {};
  await config.applyToHTTPSOptions(options);
  return options.headers?.Authorization;
};

describe('several kubeconfigs', () => {
  it('are merged as kubectl does it: of what has the same name the first counts', async () => {
    const one = await file('one', kubeconfig({}));
    const two = await file(
      'two',
      kubeconfig({ server: 'https://two:6443', user: 'other', context: 'two', how: { token: 'def' } }),
    );
    expect(await login(one, two)).toMatchObject({ name: 'one', server: 'https://one:6443' });
    expect(await login(two, one)).toMatchObject({ name: 'two', server: 'https://two:6443' });
    vi.stubEnv('KUBECONFIG', [one, two].join(delimiter));
    const chosen = await readLogin({ ...target, context: 'two' }, home);
    expect([chosen.server, await authorization(chosen)]).toEqual(['https://one:6443', 'Bearer def']);
  });
  it('have the context of the first that names one; files that are missing or empty count for nothing', async () => {
    const silent = await file('silent', kubeconfig({ current: '' }));
    const two = await file('two', kubeconfig({ context: 'two', cluster: 'b', server: 'https://two:6443' }));
    const empty = await file('empty', '\n# nothing yet\n');
    for (const first of [silent, join(home, 'missing'), empty])
      expect(await login(first, two)).toMatchObject({ name: 'two', server: 'https://two:6443' });
    expect(await login(two, empty)).toMatchObject({ name: 'two' });
    await expect(login(empty)).rejects.toMatchObject({ code: 'cluster_config', params: { path: empty } });
    await expect(login(join(home, 'missing'))).rejects.toMatchObject({ code: 'cluster_config' });
  });
});

describe('credentials of a kubeconfig', () => {
  it('are the text of a token file, beside the kubeconfig where its path is relative', async () => {
    const path = await file('there/config', kubeconfig({ how: { tokenFile: 'token' } }));
    await file('there/token', 'of-the-file\n');
    expect(await authorization(await login(path))).toBe('Bearer of-the-file');
  });
  it('need no token file of a user whom nobody asked for', async () => {
    const one = await file('one', kubeconfig({}));
    const two = await file(
      'two',
      kubeconfig({ user: 'away', context: 'two', how: { tokenFile: 'missing' } }),
    );
    expect(await authorization(await login(one, two))).toBe('Bearer abc');
    const path = join(home, 'missing');
    await expect(login(two, one)).rejects.toMatchObject({ code: 'cluster_config', params: { path } });
  });
  it('come from a program beside the kubeconfig, where it is named by a relative path', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './login.sh' };
    const path = await file('there/config', kubeconfig({ how: { exec } }));
    const credential = { kind: 'ExecCredential', status: { token: 'of-the-program' } };
    const program = await file('there/login.sh', `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`);
    await chmod(program, 0o700);
    expect(await authorization(await login(path))).toBe('Bearer of-the-program');
    const found = { apiVersion: 'client.authentication.k8s.io/v1', command: 'found-in-path' };
    const other = await login(await file('other', kubeconfig({ how: { exec: found } })));
    expect(other.config.getCurrentUser()?.exec).toMatchObject({ command: 'found-in-path' });
  });
});

describe('the context’s user', () => {
  const as = {
    ...{ token: 'T', as: 'viewer', 'as-groups': ['g1', 'g2'], 'as-uid': 7 },
    'as-user-extra': { 'acme.example/project(s)': ['one', 'two'] },
  };
  const sent = {
    'Impersonate-Group': ['g1', 'g2'],
    'Impersonate-Uid': '7',
    'Impersonate-Extra-acme.example%2Fproject%28s%29': ['one', 'two'],
  };
  it('acts with the groups, the UID and whatever else it is to act with: its rights depend on them', async () => {
    const one = await file('one', kubeconfig({ how: as }));
    const { headers } = await login(one);
    expect(headers).toEqual(sent);
    // Of users of the same name the first counts, with all that belongs to it.
    const plain = await file('plain', kubeconfig({}));
    expect((await login(plain, one)).headers).toEqual({});
    expect((await login(one, plain)).headers).toEqual(sent);
  });
  it('is refused where it names groups and no user, or what are no groups: it would have other rights', async () => {
    const { as: _, ...nobody } = as;
    for (const [how, reason] of [
      [nobody, /no user to act as/],
      [{ ...as, 'as-groups': { g1: 1 } }, /as-groups/],
    ] as const) {
      const path = await file('one', kubeconfig({ how }));
      await expect(login(path)).rejects.toMatchObject({
        code: 'cluster_config',
        params: { path, reason: expect.stringMatching(reason) as unknown },
      });
    }
  });
  it('is there: one whom the file does not have would log in as nobody', async () => {
    const path = await file('one', kubeconfig({}).replaceAll('"user":"admin"', '"user":"other"'));
    await expect(login(path)).rejects.toMatchObject({
      code: 'cluster_config',
      params: { reason: expect.stringMatching(/one.*other/) as unknown },
    });
    const none = await file('none', kubeconfig({}).replaceAll('"user":"admin"', '"user":""'));
    expect(await authorization(await login(none))).toBeUndefined();
  });
});

it('a context without a user trusts the authority of its cluster all the same', async () => {
  const data = Buffer.from('authority').toString('base64');
  const text = kubeconfig({}).replaceAll('"user":"admin"', '"user":""');
  const { config } = await login(
    await file('none', text.replace('"server":', `"certificate-authority-data":"${data}","server":`)),
  );
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  expect(String(options.ca)).toBe('authority');
});

it('an address without a scheme is HTTP, or HTTPS where the cluster names an authority, as for kubectl', async () => {
  const server = async (text: string): Promise<unknown> => {
    const { config } = await login(await file('config', text));
    return config.getCurrentCluster()?.server;
  };
  const bare = kubeconfig({ server: 'localhost:8080' });
  expect(await server(bare)).toBe('http://localhost:8080');
  expect(await server(bare.replace('"server":', '"insecure-skip-tls-verify":true,"server":'))).toBe(
    'https://localhost:8080',
  );
  const far = kubeconfig({ server: '10.0.0.1' });
  await expect(login(await file('config', far))).rejects.toMatchObject({ code: 'cluster_config' });
  expect(await server(far.replace('"server":', '"certificate-authority-data":"YQ==","server":'))).toBe(
    'https://10.0.0.1',
  );
});

describe('a server without TLS', () => {
  const clear = 'http://api.example:8080';
  it('gets no credentials but on this computer: others could read them', async () => {
    const ways = [
      { token: 'T' },
      { username: 'u', password: 'p' },
      { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'any' } },
      { 'auth-provider': { name: 'oidc', config: {} } },
    ];
    await file('token', 'T');
    for (const how of [...ways, { tokenFile: 'token' }]) {
      const refused = login(await file('one', kubeconfig({ server: clear, how })));
      await expect(refused).rejects.toMatchObject({
        code: 'cluster_config',
        params: { reason: expect.stringContaining(clear) as unknown },
      });
    }
    for (const server of ['http://127.0.0.1:8001', 'http://localhost:8001', 'http://[::1]:8001'])
      expect(await authorization(await login(await file('one', kubeconfig({ server }))))).toBe('Bearer abc');
    // One that asks for none.
    expect(await login(await file('one', kubeconfig({ server: clear, how: {} })))).toMatchObject({
      server: clear,
    });
    const proxied = kubeconfig({ server: 'http://127.0.0.1:8001' });
    const proxy = '"proxy-url":"http://proxy.example:1","server":';
    await expect(login(await file('one', proxied.replace('"server":', proxy)))).rejects.toMatchObject({
      code: 'cluster_config',
    });
  });
});

describe('the proxy of this computer', () => {
  const proxyOf = async (server: string): Promise<string | undefined> => {
    const { config } = await login(
      await file(`config-${server.replaceAll(/\W/g, '-')}`, kubeconfig({ server })),
    );
    return config.getCurrentCluster()?.proxyUrl;
  };
  it('is the way to a cluster, as with kubectl, where the variables do not leave it out', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:3128');
    vi.stubEnv('NO_PROXY', '.inner.example');
    expect(await proxyOf('https://api.example:6443')).toBe('http://proxy.example:3128/');
    expect(await proxyOf('https://api.inner.example')).toBeUndefined();
    // A cluster of this computer.
    for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '[::1]'])
      expect(await proxyOf(`https://${host}:6443`)).toBeUndefined();
    vi.stubEnv('HTTPS_PROXY', '');
    expect(await proxyOf('https://api.example:6443')).toBeUndefined();
  });
  it('is that of the kubeconfig where it names one', async () => {
    vi.stubEnv('https_proxy', 'http://proxy.example:3128');
    const text = kubeconfig({}).replace('"server":', '"proxy-url":"http://own.example:1","server":');
    const { config } = await login(await file('config', text));
    expect(config.getCurrentCluster()?.proxyUrl).toBe('http://own.example:1');
  });
});
