/**
 * Attack: searches for a real run's secrets everywhere: files of the data folder and of the nodes, exports and logs,
 * arguments and environments of every process, the app's output and its messages to windows; in plain text, base64,
 * hex and URL-encoded.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeFacts } from '../../shared/node/provision.ts';
import { systemClock } from '../base/clock.ts';
import { createNodeShell } from '../provision/node/node-shell.ts';
import { createReadinessBook } from '../provision/node/readiness.ts';
import { createRights, forgetfulMemory } from '../provision/node/rights.ts';
import { createAsker } from '../provision/testing/asker.ts';
import { killBelow } from '../run/testing/bench.ts';
import { trainerIsBuilt } from '../run/testing/real-services.ts';
import { canMakeAccounts, makeAccount, removeAccount } from '../ssh/testing/accounts.ts';
import { targetOf, testPool } from '../ssh/testing/pool.ts';
import { startSshd } from '../ssh/testing/sshd.ts';
import { cpuNode, startApp, type AppProcess } from './hostile-node/app-client.ts';
import { startHostileNode, type HostileManner, type HostileNode } from './hostile-node/server.ts';
import { startStandInBucket, type StandInBucket } from '../transfer/testing/stand-in-bucket.ts';

/** With characters that URLs and shells would change. */
const secretOf = (name: string): string => `${name}/${randomBytes(9).toString('hex')}&' §+`;

/** Of a text: as it is, and as it may have been written down. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // In base64 the neighbours decide on the first and last digits: without those at three offsets.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -6),
  );
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    encodeURI(secret),
    // As a form writes it, with + for spaces.
    new URLSearchParams({ '': secret }).toString().slice(1),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Arguments and environments of all processes but this one, as they come and go; the forms that were seen, and where. */
async function watchProcesses(forms: readonly string[], until: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  while (!until.aborted) {
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
      for (const kind of ['cmdline', 'environ']) {
        const text = await readFile(`/proc/${pid}/${kind}`, 'utf8').catch(() => '');
        if (forms.some((form) => text.includes(form))) found.push(`${kind}: ${text.slice(0, 200)}`);
      }
    }
    await sleep(50);
  }
  return found;
}

describe.skipIf(!trainerIsBuilt)('the secrets of a run', () => {
  const password = secretOf('password');
  const passphrase = secretOf('passphrase');
  const bucketKey = secretOf('bucket');
  let bucket: StandInBucket;
  let folder: string;
  let keyFile: string;
  let privateKey: string;
  let app: AppProcess;
  let byPassword: HostileNode;
  let withBucket: HostileNode;
  let byKey: HostileNode;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ringlab-secrets-'));
    const keys = await mkdtemp(join(tmpdir(), 'ringlab-key-'));
    keyFile = join(keys, 'id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', keyFile]);
    privateKey = (await readFile(keyFile, 'utf8')).split('\n')[2] ?? '';
    const login: HostileManner['login'] = (context) =>
      context.method === 'password' && context.password === password
        ? context.accept()
        : context.reject(['password']);
    byPassword = await startHostileNode({ login });
    withBucket = await startHostileNode({ login });
    byKey = await startHostileNode({
      login: (context) => (context.method === 'publickey' ? context.accept() : context.reject(['publickey'])),
    });
    app = await startApp(folder);
    await app.answerWith({ password, passphrase, 'bucket-key': bucketKey });
    bucket = await startStandInBucket({ bucket: 'drive', accessKeyId: 'AKIDANNA', secretKey: bucketKey });
    const images = join(keys, 'images');
    const trainer = fileURLToPath(new URL('../../../native/build/ringlab-train', import.meta.url));
    execFileSync(trainer, ['make-shapes', images, '--train', '20', '--val', '20', '--size', '16']);
    for (const file of await filesBelow(images))
      bucket.objects.set(`pets/${relative(images, file)}`, { bytes: await readFile(file) });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await bucket.close();
    await byPassword.stop();
    await withBucket.stop();
    await byKey.stop();
    await killBelow(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await rm(join(keyFile, '..'), { recursive: true, force: true });
  }, 60_000);

  it('are in no file, argument, environment, log, export or message', async () => {
    const secrets = { password, passphrase, privateKey, bucketKey };
    const forms = Object.values(secrets).flatMap(formsOf);
    const over = new AbortController();
    const seen = watchProcesses(forms, over.signal);

    const ssh = ({ port }: HostileNode) => ({ type: 'ssh', host: '127.0.0.1', port, user: 'anna' }) as const;
    const labs = [
      await app.makeLab('By password', [
        cpuNode('p', { ...ssh(byPassword), authentication: { method: 'password' } }),
      ]),
      await app.makeLab('By key', [
        cpuNode('k', { ...ssh(byKey), authentication: { method: 'key', keyFile } }),
      ]),
      await app.makeLab(
        'From a bucket',
        [cpuNode('b', { ...ssh(withBucket), authentication: { method: 'password' } })],
        1,
        {
          type: 's3',
          endpoint: bucket.url,
          region: 'us-east-1',
          bucket: 'drive',
          prefix: 'pets',
          accessKeyId: 'AKIDANNA',
        },
      ),
    ];
    await Promise.all(
      labs.map(async (lab) => {
        const { runId } = await app.call('run.start', { labId: lab.id });
        const run = await app.ended(runId);
        expect([run.state, run.error]).toEqual(['finished', undefined]);
        for (const artifact of ['report.html', 'commands.sh', 'metrics.csv', 'metrics.json'] as const)
          await app.call('run.export', { runId, artifact, language: 'en' });
        const [labId, nodeId] = [lab.id, lab.nodes[0]?.id ?? ''];
        await app.call('node.sshCommand', { labId, nodeId });
        // What a window asks of a lab and its run, and so what the web host sends over the wire.
        await app.call('lab.open', { labId });
        await app.call('lab.duplicate', { labId, name: `${lab.name}, exported` });
        await app.call('provision.status', { labId });
        await app.call('provision.plan', { labId });
        await app.call('node.connections', { labId });
        await app.call('run.commands', { runId });
        await app.call('metrics.lines', { runId, kinds: ['step', 'epoch'], limit: 100 });
        await app.call('log.read', { runId, rank: 0, offset: 0, limit: 100_000 });
      }),
    );
    await app.call('app.doctor', {});
    await app.call('app.info', {});
    await app.call('settings.get', {});
    await app.call('prompt.list', {});
    await app.call('trust.list', {});
    await app.call('run.list', {});
    await app.call('run.problems', {});
    await app.call('events.since', { session: '', seq: 0 });
    expect(bucket.asked.some(({ what }) => what.endsWith('.png') || what.endsWith('.jpg'))).toBe(true);
    over.abort();
    expect(await seen).toEqual([]);

    const reported = await app.reported();
    expect(reported).toContain('run.changed');
    const wanted = [...new Set(forms)].map((form) => Buffer.from(form));
    const holds = (bytes: Buffer): boolean => wanted.some((form) => bytes.includes(form));
    expect(holds(Buffer.from(app.output()))).toBe(false);
    expect(holds(Buffer.from(reported))).toBe(false);
    const search = async (): Promise<'changed' | { files: number; found: string[] }> => {
      const found: string[] = [];
      let files = 0;
      for (const path of [folder, byPassword.home, withBucket.home, byKey.home]) {
        for (const file of await filesBelow(path)) {
          // The trainer was built before there was a secret, and is large.
          if (basename(file).startsWith('ringlab-train')) continue;
          files += 1;
          const bytes = await readFile(file).catch((error: unknown) => {
            if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
            throw error;
          });
          if (bytes === undefined) return 'changed';
          if (holds(bytes)) found.push(file);
        }
      }
      return { files, found };
    };
    // The app may still fetch a run's files: what was renamed meanwhile is found by another search.
    let searched = await search();
    for (let again = 0; searched === 'changed' && again < 20; again += 1) searched = await search();
    if (searched === 'changed') throw new Error('the files never stopped changing');
    const { files, found } = searched;
    expect(files).toBeGreaterThan(20);
    expect(found).toEqual([]);
  }, 600_000);
});

describe.skipIf(!canMakeAccounts || !existsSync('/usr/bin/sudo'))(
  'the sudo password of a real account',
  () => {
    const undo: (() => unknown)[] = [];
    afterAll(async () => {
      for (const each of undo.reverse()) await each();
    });

    it('sudo’s password is in no argument, environment, file of the node, log or message while sudo runs', async () => {
      // chpasswd takes lines of ASCII.
      const password = `sudo/${randomBytes(9).toString('hex')}&' +`;
      const account = await makeAccount();
      undo.push(() => removeAccount(account));
      execFileSync('chpasswd', { input: `${account.user}:${password}\n` });
      const rules = `/etc/sudoers.d/${account.user}`;
      await writeFile(rules, `${account.user} ALL=(ALL) ALL\n`, { mode: 0o440 });
      undo.push(() => rm(rules));
      const sshd = await startSshd({ accounts: true });
      undo.push(() => sshd.stop());
      const test = await testPool();
      undo.push(() => test.close());
      const session = await test.pool.session(targetOf(sshd, { user: account.user }));
      const remembered = forgetfulMemory();
      const kept: string[] = [];
      const memory = {
        ...remembered,
        set: (machine: string, kinds: string) => (kept.push(machine, kinds), remembered.set(machine, kinds)),
      };
      const asker = createAsker(() => ({ kind: 'secret', secret: password, remember: true }));
      const rights = createRights({ prompter: asker, memory }).of(session);
      const reported: unknown[] = [];
      const book = createReadinessBook(systemClock, (readiness) => reported.push(readiness));
      const status = book.node('lab', 'node').step('libraries');
      const shell = createNodeShell(session, status, new AbortController().signal);
      const facts = { root: false, sudo: 'password' } as Partial<NodeFacts> as NodeFacts; // what is asked for here

      const forms = formsOf(password);
      const over = new AbortController();
      const seen = watchProcesses(forms, over.signal);
      const asRoot = await rights.root(shell, facts, 'sleep 1; id -u; env; cat', { label: 'look' });
      const failing = await rights.root(shell, facts, 'sleep 1; exit 3', {});
      over.abort();
      expect(asRoot).toMatchObject({ code: 0, stdout: expect.stringMatching(/^0\n/) as string });
      expect(failing.code).toBe(3);
      expect(asker.questions).toHaveLength(1);
      expect(await seen).toEqual([]);
      book.flush();
      const home = await session.home();
      const files = await Promise.all(
        (await filesBelow(home)).map((file) => readFile(file, 'utf8').catch(() => '')),
      );
      const all = [
        JSON.stringify([asRoot, failing, status.log.lines, reported, asker.questions, kept]),
        ...files,
      ].join('\n');
      for (const form of forms) expect(all).not.toContain(form);
    }, 120_000);
  },
);
