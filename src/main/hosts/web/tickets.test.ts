import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTickets } from './tickets.ts';

const ticket = { session: 's'.repeat(22), key: 'k'.repeat(43) };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-tickets-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

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
