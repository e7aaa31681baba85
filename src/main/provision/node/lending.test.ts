/** Tests lending to a node without internet, with Debian's sshd in a network namespace whose only connection is SSH. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { testPool, type TestPool } from '../../ssh/testing/pool.ts';
import { startSshd, type Sshd } from '../../ssh/testing/sshd.ts';
import { hashFile } from '../../transfer/index.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import type { Provisioner } from '../service/contract.ts';
import { createLending } from './lending.ts';
import { createNodeShell } from './node-shell.ts';
import { createProvisioner } from '../service/provisioner.ts';
import { StepStatus } from './readiness.ts';
import { createRights, forgetfulMemory } from './rights.ts';
import { createReach } from '../../local/index.ts';
import { noNamespaces } from '../../net/testing/lab.ts';
import { createAsker } from '../testing/asker.ts';
import { describeAsCurrent, labOf, nativeSource } from '../testing/bench.ts';
import { freePort } from '../../ssh/testing/free-port.ts';
import { writeStandInTrainer } from '../testing/stand-in-trainer.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

/** Documentation networks (RFC 5737): not used by real hosts. */
const [hostSide, nodeSide, elsewhere] = ['203.0.113.1', '203.0.113.2', '198.51.100.7'];
const namespace = `rllend${process.pid}`;
const ip = (...words: string[]): string => execFileSync('ip', words, { encoding: 'utf8' });

let folder = '';
let sshd: Sshd;
let test: TestPool;
let origin: Server;
let archive: Buffer;
let asked = 0;

const root = noNamespaces === undefined;

beforeAll(() => {
  if (!root) return;
  ip('netns', 'add', namespace);
  ip('link', 'add', `${namespace}h`, 'type', 'veth', 'peer', 'name', 'out', 'netns', namespace);
  ip('addr', 'add', `${hostSide}/30`, 'dev', `${namespace}h`);
  ip('link', 'set', `${namespace}h`, 'up');
  ip('-n', namespace, 'addr', 'add', `${nodeSide}/30`, 'dev', 'out');
  ip('-n', namespace, 'link', 'set', 'out', 'up');
  ip('-n', namespace, 'link', 'set', 'lo', 'up');
  ip('addr', 'add', `${elsewhere}/32`, 'dev', 'lo');
});
afterAll(() => {
  if (!root) return;
  ip('addr', 'del', `${elsewhere}/32`, 'dev', 'lo');
  // The kernel removes a namespace with a delay: deleting the cable explicitly is immediate.
  ip('link', 'del', `${namespace}h`);
  ip('netns', 'del', namespace);
});
beforeEach(async () => {
  if (!root) return;
  folder = mkdtempSync(join(tmpdir(), 'ringlab-lend-'));
  for (const part of ['train', 'val']) mkdirSync(join(folder, 'set', part, 'cat'), { recursive: true });
  execFileSync('sh', ['-c', `head -c 300000 /dev/urandom > ${folder}/set/train/cat/1.jpg`]);
  execFileSync('tar', ['-cf', join(folder, 'set.tar'), '-C', join(folder, 'set'), 'train', 'val']);
  archive = readFileSync(join(folder, 'set.tar'));
  asked = 0;
  // A minimal web server.
  origin = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head: Buffer) => {
      asked += 1;
      const body = head.toString('latin1').startsWith('HEAD') ? Buffer.alloc(0) : archive;
      socket.end(
        Buffer.concat([
          Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${archive.length}\r\nConnection: close\r\n\r\n`),
          body,
        ]),
      );
    });
  }).listen(0, elsewhere);
  await once(origin, 'listening');
  sshd = await startSshd({ address: nodeSide, through: ['ip', 'netns', 'exec', namespace] });
  test = await testPool();
});
afterEach(async () => {
  if (!root) return;
  await test.close();
  await sshd.stop();
  origin.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The fake internet is on this machine, which a lent connection may not reach otherwise. */
const toOrigin = (address: string): boolean => address === elsewhere;

const provisioner = (asker = createAsker()): Provisioner =>
  createProvisioner({
    reach: createReach({ pool: test.pool, dataFolder: join(folder, 'app') }),
    events: { emit: () => undefined },
    paths: {
      nativeSource,
      trainerBinary: writeStandInTrainer(join(folder, 'stand-in')),
      data: join(folder, 'app'),
      home: join(folder, 'person'),
    },
    describeBinary: describeAsCurrent,
    prompter: asker,
    lendTo: toOrigin,
  });

async function lab(lendInternet: boolean | undefined): Promise<LabDocument> {
  const url = `http://${elsewhere}:${(origin.address() as AddressInfo).port}/set.tar`;
  const sha256 = await hashFile(join(folder, 'set.tar'));
  const document = labOf(['anna'], { port: await freePort(), data: { type: 'url', urls: [url], sha256 } });
  const access = {
    type: 'ssh',
    host: nodeSide,
    port: sshd.port,
    user: sshd.user,
    authentication: { method: 'key', keyFile: sshd.keyFile },
  } as const;
  return { ...document, nodes: document.nodes.map((node) => ({ ...node, access, lendInternet })) };
}

describe.skipIf(!root)(`a node without internet (${noNamespaces ?? 'root'})`, () => {
  it('reports an error with a button to lend if nothing is lent', async () => {
    const document = await lab(undefined);
    const one = provisioner();
    await expect(one.prepare(document)).rejects.toMatchObject({ code: 'mirrors_failed' });
    const data = one.status(document)[0]?.steps.find(({ id }) => id === 'data');
    expect(data?.diagnoses?.[0]).toMatchObject({ code: 'network.offline', action: 'lend_internet' });
    expect(asked).toBe(0);
  });

  it('downloads through this computer if it is lent, shows the bytes, and keeps no setting', async () => {
    const document = await lab(true);
    const asker = createAsker();
    const one = provisioner(asker);
    await one.prepare(document);
    expect(asker.questions).toMatchObject([{ kind: 'lend', nodeName: 'anna', host: nodeSide }]);
    const [status] = one.status(document);
    expect(status?.lent).toMatchObject({ open: false });
    expect(status?.lent?.received).toBeGreaterThanOrEqual(archive.length);
    const log = linesIn(status?.steps.flatMap((step) => step.log) ?? [], 'en');
    expect(log).toContain('through this computer’s internet connection');
    expect(log).not.toMatch(/ringlab:[0-9a-f]{8}/);
    // Nothing listens on the node's loopback any more, and no file there has the password.
    const listening = execFileSync('ip', ['netns', 'exec', namespace, 'ss', '-Hltn'], { encoding: 'utf8' });
    expect(
      listening
        .trim()
        .split('\n')
        .filter((line) => line.includes('127.0.0.1:')),
    ).toEqual([]);
    expect(() => execFileSync('grep', ['-rE', 'ringlab:[0-9a-f]{8}', sshd.home])).toThrow();
  });

  it('passes the proxy to a script behind sudo by its input only (sudo is a stand-in that asks for a password)', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    // It reads the password from the first line and records its own command line, as a process list would show it.
    writeFileSync(
      join(bin, 'sudo'),
      `#!/bin/sh\necho "$*" >> ${folder}/sudo-lines\nIFS= read -r password; [ "$password" = geheim ] || exit 1\ncase "$*" in *-v) exit 0;; esac\nshift 3\nexec "$@"\n`,
      { mode: 0o755 },
    );
    const shell = createLocalShell({ home: folder, path: `${bin}:/usr/bin:/bin` });
    const status = new StepStatus(
      'libraries',
      () => undefined,
      () => undefined,
    );
    const lending = createLending({
      from: undefined,
      onChange: () => undefined,
      permit: () => Promise.resolve(),
      allows: toOrigin,
    });
    const node = createNodeShell(shell, status, new AbortController().signal, undefined, lending);
    const rights = createRights({
      prompter: createAsker(() => ({ kind: 'secret', secret: 'geheim', remember: false })),
      memory: forgetfulMemory(),
    }).of(shell);
    const facts = { root: false, sudo: 'password' } as Partial<NodeFacts> as NodeFacts; // what is asked for here
    const script = `echo "$https_proxy"; curl -fsS http://${elsewhere}:${(origin.address() as AddressInfo).port}/ | wc -c; cat`;
    const { stdout } = await rights.root(node, facts, script, { online: true });
    expect(stdout).toMatch(new RegExp(`^http://ringlab:[0-9a-f]{36}@127.0.0.1:\\d+\\n${archive.length}\\n$`));
    const lines = readFileSync(join(folder, 'sudo-lines'), 'utf8');
    expect(lines).toContain('read -r');
    expect(lines).not.toMatch(/ringlab:|geheim/);
  });

  it('reports an SSH server that forbids forwarding', async () => {
    await sshd.stop();
    sshd = await startSshd({
      address: nodeSide,
      through: ['ip', 'netns', 'exec', namespace],
      extraConfig: ['AllowTcpForwarding no'],
    });
    const failed = provisioner().prepare(await lab(true));
    await expect(failed).rejects.toMatchObject({ code: 'forwarding_refused', where: 'anna' });
  });
});
