/** Tests which of a repository's files a node gets by itself, and that it runs with nothing but what this computer has. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { systemClock } from '../../base/clock.ts';
import { createCodeShelf } from '../../code/index.ts';
import { createLocalShell, programsOnly } from '../../ssh/testing/local-shell.ts';
import { planStep } from '../engine/engine.ts';
import { createFactsStep } from '../steps/facts.ts';
import { labOf } from '../testing/bench.ts';
import { runSteps, stepRun } from '../testing/step-run.ts';
import { createCodeStep, createNodeClones, createScriptCode } from './index.ts';
import { linesIn, lineIn } from '../../../shared/base/phrase.ts';

const large = randomBytes(1_500_000);
let folder = '';
let server: Server;
let url = '';
/** What nodes ask for; this computer's own requests have another agent. */
let refuses = false;
let asked = 0;
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', join(folder, 'project'), ...args], {
    encoding: 'utf8',
  });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-clone-'));
  mkdirSync(join(folder, 'project'));
  writeFileSync(join(folder, 'project', 'train.py'), 'print(1)\n');
  writeFileSync(join(folder, 'project', 'data.bin'), large);
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  git('update-server-info');
  [refuses, asked] = [false, 0];
  // git's protocol of plain files.
  server = createServer((request, response) => {
    const isNode = request.headers['user-agent'] === 'node';
    if (isNode) asked += 1;
    if (isNode && refuses) return void response.writeHead(401, { 'WWW-Authenticate': 'Basic' }).end();
    createReadStream(join(folder, new URL(request.url ?? '/', 'http://x').pathname))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // Listening on TCP, it has an address with a port.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/project/.git`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  rmSync(folder, { recursive: true, force: true });
});

interface On {
  readonly node?: string;
  readonly address?: string;
  readonly isLocal?: boolean;
  readonly programs?: Readonly<Record<string, string>>;
  readonly clones?: ReturnType<typeof createNodeClones>;
  /** Happens after this computer has read the code. */
  readonly meanwhile?: () => void;
}

/** A node whose facts are known, and the code of the run. */
async function nodeWith({ node = 'n0', address = url, isLocal = false, programs = {}, meanwhile }: On = {}) {
  const home = join(folder, node);
  mkdirSync(home, { recursive: true });
  const script = {
    source: { type: 'git', url: address, ref: 'main' },
    file: 'train.py',
    arguments: '',
  } as const;
  const local = labOf(['anna'], { script });
  const access = {
    type: 'ssh',
    host: node,
    port: 22,
    user: 'u',
    authentication: { method: 'agent' },
  } as const;
  const lab: LabDocument = isLocal
    ? local
    : { ...local, nodes: local.nodes.map((one) => ({ ...one, access })) };
  const path = `${programsOnly(join(home, 'programs'), programs)}:/usr/bin:/bin`;
  const shell = createLocalShell({
    home,
    path,
    machine: { host: node },
    through: ['env', 'GIT_HTTP_USER_AGENT=node'],
  });
  const code = createScriptCode(createCodeShelf(join(folder, 'code'), folder), lab, undefined);
  await code?.take({});
  meanwhile?.();
  const run = { ...stepRun(lab, shell, { nodeId: node }), code };
  expect(await runSteps([createFactsStep(systemClock)], run)).toBeUndefined();
  return { run, home, shell };
}

/** Runs the step on a node. Returns what was sent to it. */
async function bring(on: On = {}) {
  const { run, home } = await nodeWith(on);
  const failed = await runSteps([createCodeStep(on.clones ?? createNodeClones())], run);
  const log = linesIn(run.status.step('data').snapshot().log, 'en');
  const place = join(home, '.ringlab', 'code');
  const [version = ''] = readdirSync(place).filter((name) => name.startsWith('code-'));
  return {
    failed,
    log,
    sent: Number(/^sent (\d+) bytes$/m.exec(log)?.[1]),
    whole:
      existsSync(join(place, version, 'data.bin')) &&
      readFileSync(join(place, version, 'data.bin')).equals(large),
    left: readdirSync(place).filter((name) => name.startsWith('.clone') || name.startsWith('.incoming')),
  };
}

describe('a repository on a node that reaches it', () => {
  it('is cloned there: nothing of it is sent', async () => {
    const { failed, sent, whole, left, log } = await bring();
    expect(failed).toBeUndefined();
    expect(log).toContain(`git clone ${url} (on the node)`);
    expect({ sent, whole, left }).toEqual({ sent: 0, whole: true, left: [] });
    expect(asked).toBeGreaterThan(0);
  });

  it('gives what was committed, whatever line ends its git writes', async () => {
    const crlf = `#!/bin/sh\nexec /usr/bin/git -c core.autocrlf=true -c core.eol=crlf "$@"\n`;
    const { failed, sent, whole } = await bring({ programs: { git: crlf } });
    expect(failed).toBeUndefined();
    expect({ sent, whole }).toEqual({ sent: 0, whole: true });
  });

  it('gives nothing that differs from this computer’s: that is sent', async () => {
    const crlf = `#!/bin/sh\nexec /usr/bin/git -c core.attributesFile="$0-attributes" "$@"\n`;
    const programs = { git: crlf, 'git-attributes': '*.py text eol=crlf\n' };
    const { failed, sent, whole } = await bring({ programs });
    expect(failed).toBeUndefined();
    expect({ sent, whole }).toEqual({ sent: 'print(1)\n'.length, whole: true });
  });

  it('that has a newer commit by now gives the one that this computer has', async () => {
    const { failed, sent, whole } = await bring({
      meanwhile() {
        writeFileSync(join(folder, 'project', 'data.bin'), 'newer');
        git('commit', '-qam', 'second');
        git('update-server-info');
      },
    });
    expect(failed).toBeUndefined();
    expect({ sent, whole }).toEqual({ sent: 0, whole: true });
  });
});

it('a dry run shows the command that runs, and changes nothing', async () => {
  const { run, home, shell } = await nodeWith();
  const step = createCodeStep(createNodeClones());
  const { changes } = await planStep(step, run);
  expect(existsSync(join(home, '.ringlab'))).toBe(false);
  const [clone, send] = changes;
  expect(clone?.what.en).toContain(url);
  expect(lineIn(send?.command ?? '', 'en')).toMatch(/^upload /);
  const before = shell.scripts.length;
  expect(await runSteps([step], run)).toBeUndefined();
  expect(shell.scripts.slice(before)).toContain(clone?.command);
});

describe('a repository that a node does not get is sent', () => {
  it('where it wants a login there; the node does not wait for it again', async () => {
    refuses = true;
    const clones = createNodeClones();
    const first = await bring({ clones });
    expect(first).toMatchObject({ failed: undefined, whole: true, left: [] });
    expect(first.sent).toBeGreaterThan(large.length);
    expect(first.log).toContain('not without a login: the files are sent');
    const before = asked;
    writeFileSync(join(folder, 'project', 'more.bin'), randomBytes(1_200_000));
    git('add', '.');
    git('commit', '-qm', 'second');
    git('update-server-info');
    expect((await bring({ clones })).failed).toBeUndefined();
    expect(asked).toBe(before);
  });

  it('where the node has no git', async () => {
    const { failed, whole, log } = await bring({ programs: { git: '#!/bin/sh\nexit 127\n' } });
    expect({ failed, whole }).toEqual({ failed: undefined, whole: true });
    expect(log).toContain('the files are sent');
  });

  it('where the node is this computer, and where the address holds a token', async () => {
    expect(await bring({ isLocal: true })).toMatchObject({ failed: undefined, whole: true });
    const secret = url.replace('http://', 'http://user:token@');
    const { failed, log, whole } = await bring({ node: 'n1', address: secret });
    expect({ failed, whole }).toEqual({ failed: undefined, whole: true });
    expect(log).not.toContain('on the node');
    expect(asked).toBe(0);
  });
});

it('a copy that was changed on the node stays as it is in a dry run, and is replaced by the next preparation', async () => {
  const clones = createNodeClones();
  const first = await nodeWith();
  expect(await runSteps([createCodeStep(clones)], first.run)).toBeUndefined();
  const place = join(first.home, '.ringlab', 'code');
  const [kept = ''] = readdirSync(place);
  const script = join(place, kept, 'train.py');
  writeFileSync(script, 'print(2)\n');
  const again = await nodeWith();
  expect(await planStep(createCodeStep(clones), again.run)).toMatchObject({ state: 'change' });
  expect(readFileSync(script, 'utf8')).toBe('print(2)\n');
  expect(await runSteps([createCodeStep(clones)], again.run)).toBeUndefined();
  expect(readFileSync(script, 'utf8')).toBe('print(1)\n');
});
