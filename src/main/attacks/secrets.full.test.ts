/**
 * A real run whose secrets are then looked for everywhere: files of the data folder, of the nodes, exports and logs, arguments
 * and environments of every process meanwhile, what the app printed and what it told its windows; in clear, base64, hex
 * and URL-encoded.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killBelow } from '../run/testing/bench.ts';
import { trainerIsBuilt } from '../run/testing/real-services.ts';
import { cpuNode, startApp, type AppProcess } from './hostile-node/app-client.ts';
import { startHostileNode, type HostileNode } from './hostile-node/server.ts';

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
    bytes.toString('hex'),
    ...base64,
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
  let folder: string;
  let keyFile: string;
  let privateKey: string;
  let app: AppProcess;
  let byPassword: HostileNode;
  let byKey: HostileNode;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ringlab-secrets-'));
    const keys = await mkdtemp(join(tmpdir(), 'ringlab-key-'));
    keyFile = join(keys, 'id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', keyFile]);
    privateKey = (await readFile(keyFile, 'utf8')).split('\n')[2] ?? '';
    byPassword = await startHostileNode({
      login: (context) =>
        context.method === 'password' && context.password === password
          ? context.accept()
          : context.reject(['password']),
    });
    byKey = await startHostileNode({
      login: (context) => (context.method === 'publickey' ? context.accept() : context.reject(['publickey'])),
    });
    app = await startApp(folder);
    await app.answerWith({ password, passphrase });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await byPassword.stop();
    await byKey.stop();
    await killBelow(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await rm(join(keyFile, '..'), { recursive: true, force: true });
  }, 60_000);

  it('stand in no file, argument, environment, log, export or message', async () => {
    const secrets = { password, passphrase, privateKey };
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
    ];
    await Promise.all(
      labs.map(async (lab) => {
        const { runId } = await app.call('run.start', { labId: lab.id });
        const run = await app.ended(runId);
        expect([run.state, run.error]).toEqual(['finished', undefined]);
        for (const artifact of ['report.html', 'commands.sh', 'metrics.csv', 'metrics.json'] as const)
          await app.call('run.export', { runId, artifact, language: 'en' });
        await app.call('node.sshCommand', { labId: lab.id, nodeId: lab.nodes[0]?.id ?? '' });
      }),
    );
    over.abort();
    expect(await seen).toEqual([]);

    const told = await app.told();
    expect(told).toContain('run.changed');
    const wanted = [...new Set(forms)].map((form) => Buffer.from(form));
    const holds = (bytes: Buffer): boolean => wanted.some((form) => bytes.includes(form));
    expect(holds(Buffer.from(app.output()))).toBe(false);
    expect(holds(Buffer.from(told))).toBe(false);
    const found: string[] = [];
    let files = 0;
    for (const path of [folder, byPassword.home, byKey.home]) {
      for (const file of await filesBelow(path)) {
        // The trainer was built before there was a secret, and is large.
        if (basename(file).startsWith('ringlab-train')) continue;
        files += 1;
        if (holds(await readFile(file))) found.push(file);
      }
    }
    expect(files).toBeGreaterThan(20);
    expect(found).toEqual([]);
  }, 180_000);
});
