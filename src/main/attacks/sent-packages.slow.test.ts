/**
 * Finding 3: between sending a bundle's packages and installing them as root, a program of the node's own account
 * replaces one. With the real apt; the installation is only simulated.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { preparePackages, sendPackages } from '../provision/download/apt-part.ts';
import { rootCopies } from '../provision/download/node-repository.ts';
import { proveClosure } from '../provision/bundle/proof.ts';
import type { AptPart } from '../provision/bundle/index-file.ts';
import type { BundleStore } from '../provision/bundle/contract.ts';
import { createBundleStore } from '../provision/bundle/store.ts';
import { aptNode } from '../provision/bundle/testing/apt-node.ts';
import { makeArchive } from '../provision/bundle/testing/signed-archive.ts';
import { installPackages, pickScript, planPackages } from '../provision/download/packages.ts';
import { known, type StepContext } from '../provision/engine/step.ts';
import { startFileServer } from '../transfer/testing/file-server.ts';
import { lineIn, linesIn } from '../../shared/base/phrase.ts';

const canRun = process.getuid?.() === 0 && process.platform === 'linux' && process.arch === 'x64';
const wanted = [['ringlab-tiny']];

let folder = '';
let store: BundleStore;
let context: StepContext;
/** Where root's copies of that node are. */
let copies = '';
let log: () => string;
/** On the node, where the packages were sent to. */
let sent = '';
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-sent-'));
  const archive = await makeArchive(folder, 'bookworm', {
    'ringlab-tiny': 'ringlab-more',
    'ringlab-more': '',
  });
  const mirror = await startFileServer(archive.folder);
  store = createBundleStore(join(folder, 'bundle'), { keyring: archive.keyring, allows: () => true });
  const system = { id: 'debian', version: '12', pretty: '' };
  const signal = new AbortController().signal;
  const { lists, packages } = await proveClosure(
    {
      lists: [{ uri: mirror.url, suite: 'bookworm', path: 'main/binary-amd64/Packages' }],
      packages: ['ringlab-tiny', 'ringlab-more'].map((name) => ({ name, version: '1:99.0+dfsg-1' })),
    },
    system,
    'x86_64',
    undefined,
    { store, signal, now: new Date(), log: () => undefined },
  );
  for (const one of packages) await store.fetch(one, signal);
  await mirror.close();
  const node = await aptNode(folder, 'node', { sources: '', status: '', bundle: store });
  ({ context, log, rootCopies: copies } = node);
  const facts = { ...known(context.work, 'facts'), system, arch: 'x86_64' };
  context.work.facts = facts;
  const part: AptPart = { system: 'debian 12', arch: 'x86_64', lists: [...lists], packages: [...packages] };
  await store.change((index) => ({ ...index, apt: [part] }));
  const prepared = await preparePackages(facts, store, part, pickScript(wanted));
  await sendPackages(context, prepared);
  sent = prepared.folder;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const debs = (): string[] => readdirSync(sent).filter((name) => name.endsWith('.deb'));
/** Runs the very command that a plan shows, as root, with what lies there now: nothing is sent again. */
async function installNow(): Promise<{ code: number | null; said: string }> {
  const changes = await planPackages(context, wanted, 'node_no_libtorch');
  const { command = '' } = changes.at(-1) ?? {};
  const { code, stdout, stderr } = await context.shell.exec(lineIn(command, 'en'));
  return { code, said: `${stdout}\n${stderr}` };
}
const nothingInstalled = { code: 65, said: expect.not.stringContaining('Inst ') as string };

describe.skipIf(!canRun)('finding 3: packages on a node', () => {
  it('are installed from root’s own copy, with a signed index that is sent with the command', async () => {
    const { code, said } = await installNow();
    expect(code, said).toBe(0);
    expect(said).toMatch(/Inst ringlab-tiny/);
    const changes = await planPackages(context, wanted, 'node_no_libtorch');
    const commands = linesIn(
      changes.map(({ command }) => command),
      'en',
    );
    expect(commands).not.toContain('trusted=yes');
    expect(commands).toContain('signed-by=');
    expect(commands).not.toContain('PRIVATE');
    expect(existsSync(copies)).toBe(false);
    await installPackages(context, wanted, 'node_no_libtorch');
    expect(log()).not.toContain('PRIVATE');
  });

  it.each([
    ['another package', (file: string) => writeFileSync(file, 'a backdoor')],
    [
      'a link to another file',
      (file: string) => {
        writeFileSync(join(folder, 'evil.deb'), readFileSync(file));
        rmSync(file);
        symlinkSync(join(folder, 'evil.deb'), file);
      },
    ],
    [
      'a link to an endless device',
      (file: string) => {
        rmSync(file);
        symlinkSync('/dev/zero', file);
      },
    ],
    [
      'a FIFO without a writer',
      (file: string) => {
        rmSync(file);
        execFileSync('mkfifo', [file]);
      },
    ],
    [
      'a longer file that begins with it',
      (file: string) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(1)])),
    ],
  ])('finding 3: are not installed if one is replaced by %s', async (_, swap) => {
    swap(join(sent, debs()[0] ?? ''));
    const { code, said } = await installNow();
    expect({ code, said }).toEqual(nothingInstalled);
    expect(said).toContain('is not what was sent');
    expect(existsSync(copies)).toBe(false);
  });

  it('finding 3: are refused with an index, signature or key of their own', async () => {
    const good = readFileSync(join(sent, 'Packages'), 'utf8');
    writeFileSync(join(sent, 'Packages'), good.replaceAll(/^Depends:.*$/gm, 'Depends: backdoor'));
    expect(await installNow()).toEqual(nothingInstalled);
    writeFileSync(join(sent, 'Packages'), good);
    const release = readFileSync(join(sent, 'InRelease'), 'utf8');
    writeFileSync(join(sent, 'InRelease'), release.replace('Origin: Ringlab', 'Origin: Evil'));
    expect(await installNow()).toEqual(nothingInstalled);
    writeFileSync(join(sent, 'InRelease'), release);
    writeFileSync(join(sent, 'key.asc'), 'another key');
    writeFileSync(join(sent, 'sources.list'), 'deb [trusted=yes] http://evil.example/ ./\n');
    expect((await installNow()).code).toBe(0);
  });

  it('finding 3: are not read again if they are replaced after root’s copy was made', async () => {
    // The first thing that apt itself does after the copy; the account works beside it.
    const evil = debs().map((name) => `printf evil > '${join(sent, name)}'`);
    const changes = await planPackages(context, wanted, 'node_no_libtorch');
    const { command = '' } = changes.at(-1) ?? {};
    const between = lineIn(command, 'en').replace(/^apt -q update/m, `${evil.join('\n')}\napt -q update`);
    expect(between).not.toBe(command);
    const { code, stdout } = await context.shell.exec(between);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/Inst ringlab-tiny/);
    expect(stdout).not.toContain(sent);
  });

  it('finding 3: are named by the step if they are refused', async () => {
    // What lies there under its name is compared before anything is sent, so it is exchanged after that.
    const { exec } = context.shell;
    context.shell = {
      ...context.shell,
      exec(script, options) {
        if (script.includes(rootCopies)) writeFileSync(join(sent, debs()[0] ?? ''), 'a backdoor');
        return exec(script, options);
      },
    };
    await expect(installPackages(context, wanted, 'node_no_libtorch')).rejects.toMatchObject({
      code: 'hash_mismatch',
      params: { path: sent },
    });
  });
});
