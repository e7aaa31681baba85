import { expect, it } from 'vitest';
import { createClient } from '../../shared/contract/api-client.ts';
import { testWire } from './client.fixture.ts';
import { gated } from './gate.ts';

function open() {
  const wire = testWire();
  const client = gated(createClient(wire.transport), 2);
  wire.receive({ type: 'hello', protocol: 1, session: 's', lastSeq: 0 });
  const read = (runId: string, signal?: AbortSignal): Promise<unknown> =>
    client.call('metrics.count', { runId }, signal);
  const asked = (): string[] =>
    wire.sent.flatMap((message) =>
      message.type === 'request' ? [String((message.args as { runId?: string }).runId)] : [],
    );
  const answer = async (at: number): Promise<void> => {
    const requests = wire.sent.filter(({ type }) => type === 'request');
    wire.receive({ type: 'response', id: requests[at]?.id, ok: true, value: { lines: at } });
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { client, read, asked, answer };
}

it('reads wait until earlier ones are answered; what the user does goes past them', async () => {
  const { client, read, asked, answer } = open();
  const answers = ['a', 'b', 'c', 'd'].map((runId) => read(runId));
  expect(asked()).toEqual(['a', 'b']);
  void client.call('run.stop', { runId: 'stop' }).catch(() => undefined);
  expect(asked()).toEqual(['a', 'b', 'stop']);
  await answer(1);
  expect(asked()).toEqual(['a', 'b', 'stop', 'c']);
  for (const at of [0, 3, 4]) await answer(at);
  expect(await Promise.all(answers)).toEqual([{ lines: 0 }, { lines: 1 }, { lines: 3 }, { lines: 4 }]);
});

it('a read that is cancelled while it waits is never sent, and one that fails lets the next one go', async () => {
  const { read, asked } = open();
  const [first, waits] = [new AbortController(), new AbortController()];
  const failed = read('a', first.signal);
  void read('b');
  const cancelled = read('c', waits.signal);
  const next = read('d');
  waits.abort();
  await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  first.abort();
  await expect(failed).rejects.toMatchObject({ code: 'cancelled' });
  await new Promise((resolve) => setTimeout(resolve));
  expect(asked()).toEqual(['a', 'b', 'd']);
  void next;
});
