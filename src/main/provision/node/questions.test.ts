import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { NodeReadiness } from '../../../shared/node/provision.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { systemClock } from '../../base/clock.ts';
import { createAnswers } from './questions.ts';
import { createBench, labOf, type Bench } from '../testing/bench.ts';
import { freePort } from '../../ssh/testing/free-port.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

let folder = '';
let bench: Bench | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-questions-'));
});
afterEach(() => {
  bench?.close();
  bench = undefined;
  rmSync(folder, { recursive: true, force: true });
});
const { signal } = new AbortController();

test('each question gets its own output, even if one exits its shell, changes folder or omits the line end', async () => {
  const session = createLocalShell({ home: folder });
  const answers = createAnswers(systemClock);
  const questions = ['cd /; a=1; printf here', 'pwd; echo "a=$a"; exit 0', 'printf "two\\nlines\\n"'];
  await answers.ask(session, questions, signal);
  expect(session.scripts.length).toBe(1);
  expect(questions.map((question) => answers.take(question)?.stdout)).toEqual([
    'here',
    `${folder}\na=\n`,
    'two\nlines\n',
  ]);
});

test('an answer is used once; failed ones, later ones, and all after a change are asked again', async () => {
  const session = createLocalShell({ home: folder });
  const answers = createAnswers(systemClock);
  await answers.ask(session, ['echo yes', 'echo also', 'echo no; exit 3', 'echo last'], signal);
  expect(answers.take('echo no; exit 3')).toBeUndefined();
  expect(answers.has('echo last')).toBe(false);
  expect(answers.take('echo yes')?.stdout).toBe('yes\n');
  expect(answers.take('echo yes')).toBeUndefined();
  expect(answers.has('echo also')).toBe(true);
  answers.forget();
  expect(answers.take('echo also')).toBeUndefined();
});

/** A node that was prepared before, with data of its own. */
async function readyNode(): Promise<{ lab: LabDocument; trainer: string; home: string }> {
  bench = createBench({
    trainer: 'stand-in',
    shell(_, home) {
      for (const part of ['train', 'val']) mkdirSync(join(home, 'pets', part, 'cat'), { recursive: true });
      return {};
    },
  });
  const lab = labOf(['anna'], { port: await freePort(), data: { type: 'folder', path: '~/pets' } });
  const [node] = (await bench.provisioner.prepare(lab)).nodes;
  return { lab, trainer: node?.trainer ?? '', home: node?.facts.home ?? '' };
}
/** Steps that had something to do. */
const doneBy = ({ steps }: NodeReadiness): string[] =>
  steps.filter(({ alreadyThere }) => !alreadyThere).map(({ id }) => id);

test('a ready node is checked with two commands; a third reports its ports', async () => {
  const { lab } = await readyNode();
  const before = bench!.shell('n0').scripts.length;
  await bench!.provisioner.prepare(lab);
  expect(bench!.shell('n0').scripts.slice(before).length).toBe(3);
  const [status] = bench!.provisioner.status(lab);
  expect(status?.state).toBe('ready');
  expect(doneBy(status!)).toEqual([]);
  // Each step's log has its own questions, with their answers.
  const log = (id: string): string => linesIn(status!.steps.find((step) => step.id === id)!.log, 'en');
  expect(log('facts')).toContain('kernel=');
  expect(log('trainer')).toMatch(/\$ look at .*\nsha256 [0-9a-f]{64}/);
});

test('changes on a node are found and repaired', async () => {
  const { lab, trainer } = await readyNode();
  writeFileSync(trainer, '#!/bin/sh\nexit 1\n');
  await bench!.provisioner.prepare(lab);
  expect(doneBy(bench!.provisioner.status(lab)[0]!)).toEqual(['trainer']);
  rmSync(`${trainer}.verified`);
  await bench!.provisioner.prepare(lab);
  expect(doneBy(bench!.provisioner.status(lab)[0]!)).toEqual(['verify']);
});

test('removed data is found', async () => {
  const { lab, home } = await readyNode();
  rmSync(join(home, 'pets', 'val'), { recursive: true });
  await expect(bench!.provisioner.prepare(lab)).rejects.toMatchObject({ code: 'data_missing' });
});

test('generated data that another lab created during the check is found', async () => {
  const mark = '.ringlab-shapes';
  let folderThere = false;
  bench = createBench({
    trainer: 'stand-in',
    shell: (_, home) => ({
      before(script) {
        // The batch of questions found no data; the other lab's trainer finishes before the step asks for the mark
        // again.
        if (folderThere || !script.includes(mark) || script.includes('ringlab ')) return;
        folderThere = true;
        const data = join(home, '.ringlab/data/shapes-16-20-10-3');
        for (const part of ['train', 'val']) mkdirSync(join(data, part, 'circle'), { recursive: true });
        writeFileSync(join(data, mark), 'shapes 1\ntrain 20\nval 10\nsize 16\nclasses 10\nseed 3\n');
      },
    }),
  });
  const lab = labOf(['anna'], { port: await freePort() });
  const [node] = (await bench.provisioner.prepare(lab)).nodes;
  expect(folderThere).toBe(true);
  expect(node?.data).toMatch(/shapes-16-20-10-3$/);
});
