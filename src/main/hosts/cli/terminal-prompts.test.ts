import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished, vi } from 'vitest';
import { isCancelled } from '../../../shared/base/errors.ts';
import type { LabApi } from '../../../shared/contract/api.ts';
import type { Prompt } from '../../../shared/contract/prompts.ts';
import { answerOnTerminal, Interrupted, terminalAsker } from './terminal-prompts.ts';

const keys = { ctrlC: '\x03', ctrlD: '\x04' };
const typed = async (text: string, hidden: boolean): Promise<unknown> => {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const answered = terminalAsker(input)?.ask('', hidden);
  input.write(text);
  return await answered?.catch((error: unknown) => error);
};

it.each([true, false])('a question (hidden: %s) has a line for its answer', async (hidden) => {
  expect(await typed('secret\r', hidden)).toBe('secret');
});

it.each([true, false])(
  'Ctrl+C and Ctrl+D at a question (hidden: %s) give it up, and differ',
  async (hidden) => {
    for (const [key, isInterrupt] of [
      [keys.ctrlC, true],
      [keys.ctrlD, false],
    ] as const) {
      const error = await typed(`abc${isInterrupt ? '' : '\x15'}${key}`, hidden);
      expect(isCancelled(error)).toBe(true);
      expect(error instanceof Interrupted).toBe(isInterrupt);
    }
  },
);

it('without a terminal nothing is asked', () => {
  expect(terminalAsker(new PassThrough())).toBeUndefined();
});

const where = { id: 'p', labId: 'lab', nodeId: 'n1', nodeName: 'N1', host: 'gpu.lab' };
const hostKey = { ...where, kind: 'host-key', keyType: 'ssh-ed25519', fingerprint: 'SHA256:x' } as const;
it.each<[string, Partial<Prompt>, RegExp]>([
  ['an unknown host key', hostKey, /^N1 \(gpu\.lab\): .*no terminal.*--accept-new-host-keys/],
  [
    'a changed host key',
    { ...hostKey, knownOther: [{ keyType: 'ssh-rsa', fingerprint: 'SHA256:y', place: 'known_hosts' }] },
    /^N1 \(gpu\.lab\): (?!.*--accept-new-host-keys).*another host key/,
  ],
  ['a password', { ...where, kind: 'password', user: 'ada' }, /key.*agent/],
  ['consent', { ...where, kind: 'consent', purpose: 'prepare', changes: [] }, /--yes/],
  ['a loan', { ...where, kind: 'lend' }, /--lend-internet/],
  ['a password of sudo', { ...where, kind: 'sudo', user: 'ada' }, /in a terminal/],
])(
  '%s that nobody can be asked for is refused, and it is said what answers it',
  async (_name, prompt, words) => {
    let written = '';
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written += String(text);
      return true;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const call = (name: string, params: unknown): Promise<unknown> => {
      if (name === 'prompt.answer') resolve(params);
      return Promise.resolve(name === 'prompt.list' ? [prompt] : {});
    };
    // A fake with what is used here.
    const api = { call, subscribe: () => () => undefined } as unknown as LabApi;
    const yes = (): boolean => true;
    const no = { acceptNewHostKeys: false, allowChanges: false, allowLending: false };
    const may = { isOurs: yes, mayAsk: yes, mayRefuse: yes, interrupt: () => undefined };
    const answering = answerOnTerminal({ api, asker: undefined, ...may, ...no });
    expect(await promise).toEqual({ promptId: 'p', answer: { kind: 'refuse' } });
    answering.stop();
    expect(written).toMatch(words);
  },
);
