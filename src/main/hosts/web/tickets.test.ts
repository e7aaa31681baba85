import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openTickets } from './tickets.ts';

const ticket = { session: 's'.repeat(22), key: 'k'.repeat(43) };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-tickets-'));
});
afterEach(() => {
  vi.useRealTimers();
  return rm(folder, { recursive: true, force: true });
});

it.each([
  ['empty', ''],
  ['full of zeros', '\0'.repeat(64)],
  ['cut short', '[{"session":"'],
])(
  'where its file is %s, as after a power cut, it starts without tickets and keeps new ones',
  async (_, text) => {
    await writeFile(join(folder, 'web-tabs.json'), text);
    const tickets = await openTickets(folder);
    expect(tickets.get(ticket.session)).toBeUndefined();
    tickets.add(ticket, 'http://127.0.0.1:1');
    await tickets.settled();
    expect((await openTickets(folder)).get(ticket.session)).toMatchObject(ticket);
  },
);

it('keeps that of a page that has been there for weeks, also where the host was killed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const weeks = 3 * 7 * 24 * 3600_000;
  const tickets = await openTickets(folder);
  tickets.add(ticket, 'http://127.0.0.1:1');
  const leave = tickets.connected(ticket.session);
  vi.advanceTimersByTime(weeks);
  await tickets.settled();
  expect((await openTickets(folder)).get(ticket.session)).toMatchObject(ticket);
  leave();
  vi.advanceTimersByTime(weeks);
  await tickets.settled();
  expect((await openTickets(folder)).get(ticket.session)).toBeUndefined();
});
