/**
 * Attack: another machine at a known address. A consent belongs to the machine's verified host key, so the user is
 * asked again.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NodeFacts } from '../../shared/node/provision.ts';
import { createNodeShell } from '../provision/node/node-shell.ts';
import { StepStatus } from '../provision/node/readiness.ts';
import { createRights, forgetfulMemory, type ConsentMemory } from '../provision/node/rights.ts';
import { createAsker, type Asker } from '../provision/testing/asker.ts';
import { createLocalShell, programsOnly, type LocalShell } from '../ssh/testing/local-shell.ts';

let folder = '';
let asker: Asker;
let memory: ConsentMemory;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-consents-'));
  asker = createAsker(({ kind }) =>
    kind === 'sudo' ? { kind: 'secret', secret: 'geheim', remember: false } : { kind: 'accept' },
  );
  memory = forgetfulMemory();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const host = 'gpu.example';
/** As it was met when the user allowed something, and the machine that has its address since. */
const known = { host, hostKey: 'SHA256:known' };
const another = { host, hostKey: 'SHA256:another' };
const at = (machine: { host: string; hostKey: string; user?: string }): LocalShell =>
  createLocalShell({
    home: folder,
    machine,
    path: `${programsOnly(join(folder, 'bin'), {
      sudo: `#!/bin/sh\nwhile [ "$1" != sh ] && [ $# -gt 0 ]; do shift; done\nIFS= read -r given\necho "$given" >> ${folder}/given\n[ $# = 0 ] || "$@"\n`,
    })}:${process.env.PATH ?? ''}`,
  });
const changes = [{ what: { en: 'Install', 'zh-CN': '安装' }, command: 'apt-get install x' }];

it('every kind of consent is asked for again if the host key at an address has changed', async () => {
  const rights = createRights({ prompter: asker, memory });
  for (const kind of ['packages', 'driver'] as const) await rights.of(at(known)).allow(kind, changes, signal);
  await rights.of(at(known)).allowLending(signal);
  expect(asker.questions.map(({ kind }) => kind)).toEqual(['consent', 'consent', 'lend']);
  // Drawn anew, or after the app was started anew: not asked again.
  const later = createRights({ prompter: asker, memory });
  for (const kind of ['packages', 'driver'] as const) await later.of(at(known)).allow(kind, changes, signal);
  await later.of(at(known)).allowLending(signal);
  expect(asker.questions).toHaveLength(3);

  for (const kind of ['packages', 'driver'] as const)
    await later.of(at(another)).allow(kind, changes, signal);
  await later.of(at(another)).allowLending(signal);
  expect(asker.questions.slice(3).map(({ kind }) => kind)).toEqual(['consent', 'consent', 'lend']);
  // Nor does another account of the machine, or the same key at another address, inherit anything.
  await later.of(at({ ...known, user: 'root' })).allowLending(signal);
  await later.of(at({ ...known, host: 'elsewhere.example' })).allowLending(signal);
  expect(asker.questions).toHaveLength(8);
});

it('a consent stored by an older version for an address alone is asked for again', async () => {
  await memory.set(`anna@${host}:22`, 'packages driver lend');
  await memory.set(host, 'packages driver lend');
  const rights = createRights({ prompter: asker, memory });
  await rights.of(at({ ...known, user: 'anna' })).allowLending(signal);
  await rights.of(at({ ...known, user: 'anna' })).allow('packages', changes, signal);
  expect(asker.questions).toHaveLength(2);
});

it('the sudo password of one machine is not sent to another at the same address', async () => {
  const facts = { root: false, sudo: 'password' } as Partial<NodeFacts> as NodeFacts; // what is asked for here
  const rights = createRights({ prompter: asker, memory });
  const run = async (machine: typeof known): Promise<void> => {
    const session = at(machine);
    const status = new StepStatus(
      'libraries',
      () => undefined,
      () => undefined,
    );
    const shell = createNodeShell(session, status, signal);
    // A reboot, or a lost connection, may have brought another machine to rights that were made before it.
    await rights.of(at(known)).root(shell, facts, 'id -u', {});
  };
  await run(known);
  await run(known);
  expect(asker.questions.filter(({ kind }) => kind === 'sudo')).toHaveLength(1);
  await run(another);
  expect(asker.questions.filter(({ kind }) => kind === 'sudo')).toHaveLength(2);
});
