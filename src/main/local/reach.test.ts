import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ssh2 from 'ssh2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Access } from '../../shared/lab/access.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import type { ConnectionState } from '../../shared/node/provision.ts';
import { createSshPool, type SshPool } from '../ssh/index.ts';
import { memorySecrets, testPool, trusting, type TestPool } from '../ssh/testing/pool.ts';
import { isAlive } from '../ssh/testing/processes.ts';
import { startSshd } from '../ssh/testing/sshd.ts';
import { markDeleted, markedLabs } from './left-nodes.ts';
import { createReach, type ReachWithStates } from './reach.ts';

const execute = promisify(execFile);

const labWith = (...accesses: Access[]): LabDocument => ({
  ...emptyLab('lab1', 'Lab'),
  nodes: accesses.map((access, index) => ({
    id: `n${index + 1}`,
    name: `node ${index + 1}`,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: defaultPlacement('cpu'),
    access,
  })),
});
const local: Access = { type: 'local' };

let test: TestPool;
let pool: SshPool;
let reach: ReachWithStates;
let states: ConnectionState[];
const start = (): void => {
  states = [];
  pool = createSshPool({
    prompter: trusting(),
    secrets: memorySecrets(),
    home: test.home,
    dataFolder: test.dataFolder,
    systemKnownHosts: [],
    onState: (state) => reach.onState(state),
  });
  reach = createReach({ pool, dataFolder: test.dataFolder, onConnection: (state) => states.push(state) });
};
beforeEach(async () => {
  test = await testPool();
  start();
});
afterEach(async () => {
  await reach.close();
  await pool.close();
  await test.close();
});

describe('pods of a cluster', () => {
  it('are not those of another computer whose data folder has the same path', async () => {
    const nameOf = (): string =>
      reach.cluster({ type: 'kubernetes', image: 'any' }).machines(labWith(local)).name;
    const here = nameOf();
    await reach.close();
    start();
    expect(nameOf()).toBe(here);
    await reach.close();
    await rm(join(test.dataFolder, 'cluster-owner'), { force: true });
    start();
    expect(nameOf()).not.toBe(here);
  });
});

describe('a session to a pod', () => {
  it('is refused in the cluster’s own words where no command may run in the pod', async () => {
    const words = 'User "u" cannot get resource "pods/exec"';
    const runs = {
      status: { phase: 'Running', containerStatuses: [{ name: 'ranks', state: { running: {} } }] },
    };
    const server = createServer((_, answer) =>
      answer.end(JSON.stringify({ metadata: { name: 'x', uid: 'u' }, spec: { nodeName: 'm' }, ...runs })),
    );
    let upgrades = 0;
    server.on('upgrade', (_, socket) => {
      upgrades += 1;
      const body = JSON.stringify({ kind: 'Status', code: 403, message: words });
      socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo; // It listens on TCP.
    const kubeconfig = join(test.dataFolder, 'kubeconfig');
    const config = {
      'current-context': 'team',
      clusters: [
        { name: 'c', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: 'u', user: { token: 'x' } }],
      contexts: [{ name: 'team', context: { cluster: 'c', user: 'u', namespace: 'lab' } }],
    };
    await writeFile(kubeconfig, JSON.stringify(config));
    const lab = labWith(local, local);
    lab.experiment.where = { type: 'kubernetes', image: 'any', claim: 'shared', kubeconfig };
    const said = { code: 'cluster_forbidden', params: { reason: words } };
    await Promise.all(['n1', 'n2'].map((id) => expect(reach.session(lab, id)).rejects.toMatchObject(said)));
    // Once for all nodes, and again the next time.
    expect(upgrades).toBe(1);
    await expect(reach.session(lab, 'n1')).rejects.toMatchObject(said);
    expect(upgrades).toBe(2);
    server.closeAllConnections();
    server.close();
  });
});

describe('local nodes', () => {
  it('act as real machines for the rest of the app, each with its own home', async () => {
    const lab = labWith(local, local);
    const [one, two] = await Promise.all([reach.session(lab, 'n1'), reach.session(lab, 'n2')]);
    const homes = await Promise.all([one.home(), two.home()]);
    expect(homes).toEqual(['n1', 'n2'].map((id) => join(test.dataFolder, 'nodes', 'lab1', id, 'home')));
    await one.upload({ bytes: Buffer.from('hello') }, '~/.ringlab/greeting');
    expect(await one.run('cat ~/.ringlab/greeting')).toBe('hello');
    expect((await two.exec('cat ~/.ringlab/greeting')).code).not.toBe(0);
    expect(one.target.port).not.toBe(two.target.port);
    expect(one.target).toMatchObject({
      host: '127.0.0.1',
      nodeName: 'node 1',
      authentication: { method: 'app-key' },
      thisComputer: true,
    });
  });

  it('of a deleted lab that is used again keep what they have', async () => {
    const folder = join(test.dataFolder, 'nodes', 'lab1', 'n1');
    await mkdir(folder, { recursive: true });
    await markDeleted(test.dataFolder, 'lab1');
    expect(await markedLabs(test.dataFolder)).toEqual(['lab1']);
    await reach.session(labWith(local), 'n1');
    expect(await markedLabs(test.dataFolder)).toEqual([]);
  });

  it('hide the app’s environment from their commands', async () => {
    process.env.RINGLAB_TEST_SECRET = 'do not tell';
    const session = await reach.session(labWith(local), 'n1');
    const names = (await session.run('env | cut -d= -f1')).trim().split('\n');
    delete process.env.RINGLAB_TEST_SECRET;
    expect(names).not.toContain('RINGLAB_TEST_SECRET');
    expect(names).not.toContain('SSH_AUTH_SOCK');
    expect(names).toEqual(expect.arrayContaining(['HOME', 'USER', 'PATH', 'SHELL']));
  });

  it('accept only the app', async () => {
    const { port, user } = await reach.target(labWith(local), 'n1');
    const stranger = ssh2.utils.generateKeyPairSync('ed25519').private;
    const attempts: ssh2.ConnectConfig[] = [
      { username: user, privateKey: stranger },
      { username: user, password: '' },
      { username: user },
    ];
    for (const attempt of attempts) {
      const refused = await new Promise<string>((resolve) => {
        const client = new ssh2.Client();
        client.on('error', (error: Error) => resolve(error.message));
        client.on('ready', () => resolve('let in'));
        client.connect({ host: '127.0.0.1', port, ...attempt });
      });
      expect(refused).toContain('authentication methods failed');
    }
  });

  it('do not accept the app’s public key alone as proof', async () => {
    const { port, user, authentication } = await reach.target(labWith(local), 'n1');
    const own = ssh2.utils.parseKey(authentication.method === 'app-key' ? authentication.privateKey : '');
    if (own instanceof Error) throw own;
    const other = ssh2.utils.parseKey(ssh2.utils.generateKeyPairSync('ed25519').private);
    if (other instanceof Error) throw other;
    // An agent that knows the public key and signs with another.
    class Forger extends ssh2.BaseAgent<ssh2.ParsedKey> {
      override getIdentities(done: ssh2.IdentityCallback<ssh2.ParsedKey>): void {
        done(null, [own as ssh2.ParsedKey]);
      }
      override sign(...args: unknown[]): void {
        const data = args[1] as Buffer;
        const done = args.find((each) => typeof each === 'function') as ssh2.SignCallback;
        done(null, (other as ssh2.ParsedKey).sign(data));
      }
    }
    const refused = await new Promise<string>((resolve) => {
      const client = new ssh2.Client();
      client.on('error', (error: Error) => resolve(error.message));
      client.on('ready', () => resolve('let in'));
      client.connect({ host: '127.0.0.1', port, username: user, agent: new Forger() });
    });
    expect(refused).toContain('authentication methods failed');
  });

  it('listen on loopback only, with persistent keys that only the user can read', async () => {
    const before = await reach.target(labWith(local), 'n1');
    const { stdout } = await execute('ss', ['-Hltn', `sport = :${before.port}`]).catch(() => ({
      stdout: '127.0.0.1:',
    }));
    expect(stdout).toContain('127.0.0.1:');
    expect(stdout).not.toContain('0.0.0.0:' + String(before.port));
    for (const file of ['app_key', 'lab1/n1/host_key']) {
      expect((await stat(join(test.dataFolder, 'nodes', file))).mode & 0o777).toBe(0o600);
    }
    expect(await readdir(join(test.dataFolder, 'nodes'))).toEqual(
      expect.not.arrayContaining([expect.stringContaining('.tmp')]),
    );
    await reach.close();
    await pool.close();
    start();
    const after = await reach.target(labWith(local), 'n1');
    expect(after.pinnedHostKey).toBe(before.pinnedHostKey);
    expect(after.authentication).toEqual(before.authentication);
  });

  it('keep detached processes when the app exits', async () => {
    const session = await reach.session(labWith(local), 'n1');
    await session.run(
      'setsid sh -c "sleep 1; echo done >~/outlived; sleep 60" >/dev/null 2>&1 </dev/null & echo $! >~/pid',
    );
    const home = await session.home();
    const pid = Number(await readFile(join(home, 'pid'), 'utf8'));
    await reach.close();
    await pool.close();
    start();
    const again = await reach.session(labWith(local), 'n1');
    await expect.poll(() => again.exec('cat ~/outlived').then(({ stdout }) => stdout)).toBe('done\n');
    expect(isAlive(pid)).toBe(true);
    await again.run(`kill -KILL -${pid}`);
  });

  it('report if their folder cannot be created or their key is damaged', async () => {
    await mkdir(join(test.dataFolder, 'nodes', 'lab1'), { recursive: true });
    await writeFile(join(test.dataFolder, 'nodes', 'lab1', 'n1'), 'a file');
    await expect(reach.session(labWith(local), 'n1')).rejects.toMatchObject({ code: 'file_unwritable' });
    await rm(join(test.dataFolder, 'nodes', 'lab1', 'n1'));
    await mkdir(join(test.dataFolder, 'nodes', 'lab1', 'n1'), { recursive: true });
    await writeFile(join(test.dataFolder, 'nodes', 'lab1', 'n1', 'host_key'), 'damaged');
    await expect(reach.session(labWith(local), 'n1')).rejects.toMatchObject({ code: 'file_unreadable' });
    await rm(join(test.dataFolder, 'nodes', 'lab1', 'n1', 'host_key'));
    await reach.session(labWith(local), 'n1');
  });

  it('can be many at once', async () => {
    const lab = labWith(...Array.from({ length: 16 }, () => local));
    const answers = await Promise.all(
      lab.nodes.map(async ({ id }) => (await reach.session(lab, id)).run('basename "$(dirname "$HOME")"')),
    );
    expect(answers).toEqual(lab.nodes.map(({ id }) => `${id}\n`));
  });
});

describe('any node', () => {
  it('has its connection reported and listed', async () => {
    const lab = labWith(local, local);
    expect(reach.connections('lab1')).toEqual([]);
    await reach.session(lab, 'n1');
    expect(states.map(({ nodeId, state }) => `${nodeId} ${state}`)).toEqual([
      'n1 connecting',
      'n1 connected',
    ]);
    expect(reach.connections('lab1')).toMatchObject([{ nodeId: 'n1', state: 'connected' }]);
    expect(reach.connections('other')).toEqual([]);
    await reach.close();
    await expect.poll(() => reach.connections('lab1')).toMatchObject([{ nodeId: 'n1', state: 'idle' }]);
  });

  it('can be a separate machine', async () => {
    const sshd = await startSshd();
    const lab = labWith({
      type: 'ssh',
      host: sshd.host,
      port: sshd.port,
      user: sshd.user,
      authentication: { method: 'key', keyFile: sshd.keyFile },
    });
    const session = await reach.session(lab, 'n1');
    expect(await session.home()).toBe(sshd.home);
    await pool.close();
    await sshd.stop();
  });

  it('must be in the lab', async () => {
    await expect(reach.session(labWith(local), 'n7')).rejects.toMatchObject({
      code: 'not_found',
      params: { what: 'node', id: 'n7' },
    });
  });

  it('is removed with its server, but not its files', async () => {
    const lab = labWith(local);
    const session = await reach.session(lab, 'n1');
    await session.run('echo kept >~/file');
    await reach.forget('lab1', 'n1');
    await session.closed;
    expect(await (await reach.session(lab, 'n1')).run('cat ~/file')).toBe('kept\n');
  });
});
