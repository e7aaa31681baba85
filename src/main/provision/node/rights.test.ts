import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { createLocalShell, programsOnly, type LocalShell } from '../../ssh/testing/local-shell.ts';
import { createAsker } from '../testing/asker.ts';
import { createNodeShell } from './node-shell.ts';
import { StepStatus } from './readiness.ts';
import { createRights, forgetfulMemory, type RightsOptions } from './rights.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-rights-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As sudo: a wrong password runs nothing and ends with 1. */
const sudo = (): string =>
  [
    '#!/bin/sh',
    `echo "$*" >> ${folder}/calls`,
    'IFS= read -r given',
    `[ "$given" = "$(cat ${folder}/password)" ] || { echo 'Sorry, try again.' >&2; exit 1; }`,
    'case "$*" in *-v) exit 0;; esac',
    'while [ "$1" != sh ]; do shift; done',
    'exec "$@"',
    '',
  ].join('\n');

const nodeShell = (session: LocalShell) => {
  const ignore = (): void => undefined;
  return createNodeShell(session, new StepStatus('libraries', ignore, ignore), new AbortController().signal);
};
const facts = { root: false, sudo: 'password', user: 'anna' } as Partial<NodeFacts> as NodeFacts; // what is asked for here

it('asks for the sudo password again once it was changed, and not where a command fails by itself', async () => {
  let password = '';
  const change = (to: string): void => {
    password = to;
    writeFileSync(join(folder, 'password'), `${to}\n`);
  };
  const session = createLocalShell({
    home: folder,
    path: `${programsOnly(join(folder, 'bin'), { sudo: sudo() })}:${process.env.PATH ?? ''}`,
  });
  const asker = createAsker(() => ({ kind: 'secret', secret: password, remember: false }));
  const rights = createRights({ prompter: asker, memory: forgetfulMemory() }).of(session);
  const shell = nodeShell(session);
  const run = (script: string) => rights.root(shell, facts, script, {});

  change('first');
  expect(await run('echo one')).toMatchObject({ code: 0, stdout: 'one\n' });
  expect(await run(`echo ran >> ${folder}/ran; exit 1`)).toMatchObject({ code: 1 });
  expect(asker.questions).toHaveLength(1);
  expect(readFileSync(join(folder, 'ran'), 'utf8')).toBe('ran\n');
  change('second');
  expect(await run('echo two')).toMatchObject({ code: 0, stdout: 'two\n' });
  expect(await run('echo three')).toMatchObject({ code: 0, stdout: 'three\n' });
  expect(asker.questions).toHaveLength(2);
});

it('asks once for all local nodes of this computer, also after a start with other ports, for its account’s password', async () => {
  writeFileSync(join(folder, 'password'), 'right\n');
  const path = `${programsOnly(join(folder, 'bin'), { sudo: sudo() })}:${process.env.PATH ?? ''}`;
  const memory = forgetfulMemory();
  const change = { what: { en: 'Install', 'zh-CN': '安装' }, command: 'apt-get install x' };
  /** A start of the app: three nodes that are prepared at the same time. */
  const start = async (firstPort: number, options: Partial<RightsOptions> = {}) => {
    const asker = createAsker(({ kind }) =>
      kind === 'sudo' ? { kind: 'secret', secret: 'right', remember: false } : { kind: 'accept' },
    );
    const rights = createRights({ prompter: asker, memory, ...options });
    const outputs = await Promise.all(
      [0, 1, 2].map(async (index) => {
        const session = createLocalShell({ home: folder, path, name: `N${index}` });
        const shell = {
          ...session,
          target: {
            ...session.target,
            port: firstPort + index,
            user: 'ringlab',
            thisComputer: true as const,
          },
          hostKey: `SHA256:${index}`,
        };
        const own = rights.of(shell);
        await own.allow('packages', [change], new AbortController().signal);
        return (await own.root(nodeShell(shell), facts, `echo ${index}`, {})).stdout;
      }),
    );
    expect(outputs).toEqual(['0\n', '1\n', '2\n']);
    return asker.questions.map((question) => [question.kind, question.kind === 'sudo' && question.user]);
  };
  expect(await start(40_000)).toEqual([
    ['consent', false],
    ['sudo', 'anna'],
  ]);
  expect(await start(41_000)).toEqual([['sudo', 'anna']]);
  await expect(start(42_000, { prompter: createAsker(() => ({ kind: 'refuse' })) })).rejects.toMatchObject({
    code: 'node_needs_root',
  });
});
