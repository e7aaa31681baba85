// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Prompt } from '../../../shared/contract/prompts.ts';
import { standIn } from '../../api/client.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { startI18n } from '../../i18n/index.ts';
import { usePromptStore } from '../../state/index.ts';
import { mantineTheme } from '../../theme/index.ts';
import { furnishBrowser } from '../window.fixture.tsx';
import { PromptDialog } from './PromptDialog.tsx';

beforeEach(async () => {
  furnishBrowser();
  await startI18n('en');
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  usePromptStore.setState({ open: [] });
  vi.useRealTimers();
});

const where = (node: string) => ({
  ...{ id: node, labId: 'lab', nodeId: node, nodeName: node, host: `${node}.example`, askedAt: 1 },
});
const key = (node: string): Prompt => ({
  ...where(node),
  kind: 'host-key',
  keyType: 'ssh-ed25519',
  fingerprint: `SHA256:${node}`,
});
const wait = (ms: number): Promise<void> => act(async () => void (await vi.advanceTimersByTimeAsync(ms)));

/** Shows the questions, and records what is answered to which. */
async function asked(...questions: Prompt[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  const { client } = standIn({
    'prompt.answer': ({ promptId, answer }) => {
      answers.push([promptId, answer.kind]);
      return {};
    },
  });
  usePromptStore.setState({ open: questions });
  render(
    <MantineProvider theme={mantineTheme} env="test">
      <ApiProvider value={client}>
        <PromptDialog />
      </ApiProvider>
    </MantineProvider>,
  );
  await wait(1000);
  return answers;
}
const click = (name: string): boolean => fireEvent.click(screen.getByRole('button', { name, hidden: true }));

it('a double click answers one question, and the next one is agreed to by a click of its own', async () => {
  const change = { what: { en: 'Load a module', 'zh-CN': '加载模块' }, command: 'modprobe nvidia' };
  const answers = await asked(
    key('a'),
    key('b'),
    { ...where('c'), kind: 'lend' },
    { ...where('d'), kind: 'consent', purpose: 'prepare', changes: [change] },
    { ...where('e'), kind: 'consent', purpose: 'remove', changes: [change] },
    { ...where('f'), kind: 'weak-algorithms', algorithms: [{ name: 'ssh-rsa', why: change.what }] },
    { ...where('g'), kind: 'sudo', user: 'anna' },
  );
  const expected: unknown[] = [];
  for (const [id, agree] of Object.entries({
    ...{ a: 'Trust', b: 'Trust', c: 'Lend it', d: 'Allow', e: 'Remove', f: 'Allow for this host' },
    g: 'Continue',
  })) {
    // The second click of the one before.
    if (id !== 'a') click(agree);
    await wait(120);
    expect(answers).toEqual(expected);
    await wait(600);
    click(agree);
    await wait(20);
    expected.push([id, id === 'g' ? 'secret' : 'accept']);
  }
  expect(answers).toEqual(expected);
});

it('a question that has just appeared can be refused, and a password that is typed at once is sent', async () => {
  const answers = await asked(key('a'), key('b'), { ...where('c'), kind: 'password', user: 'root' });
  click('Refuse');
  await wait(20);
  click('Refuse');
  await wait(20);
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'secret' } });
  click('Continue');
  await wait(20);
  expect(answers).toEqual([
    ['a', 'refuse'],
    ['b', 'refuse'],
    ['c', 'secret'],
  ]);
});
