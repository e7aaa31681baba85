import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { createLocalShell, programsOnly } from '../../ssh/testing/local-shell.ts';
import { createAsker } from '../testing/asker.ts';
import { createNodeShell } from './node-shell.ts';
import { StepStatus } from './readiness.ts';
import { createRights, forgetfulMemory } from './rights.ts';

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
  const status = new StepStatus(
    'libraries',
    () => undefined,
    () => undefined,
  );
  const shell = createNodeShell(session, status, new AbortController().signal);
  const facts = { root: false, sudo: 'password' } as Partial<NodeFacts> as NodeFacts; // what is asked for here
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
