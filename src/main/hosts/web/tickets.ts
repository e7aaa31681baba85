/** Stores the tickets of open tabs across restarts of the app. The page keeps its part only in memory. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { createSerialQueue } from '../../base/serial-queue.ts';
import { SessionKey } from '../../../shared/contract/web-session.ts';
import { writePrivate } from './private-file.ts';

const maxTickets = 32;
const lifetimeMs = 7 * 24 * 3600_000;
/** While a page is there: the host may be killed, and could then not say how long it was. */
const renewalMs = 24 * 3600_000;

const Ticket = SessionKey.extend({ origin: z.string().max(200), usedAt: z.number() });
type Ticket = z.infer<typeof Ticket>;
const TicketFile = z.array(Ticket).max(maxTickets);

export interface TicketStore {
  get(session: string): Ticket | undefined;
  /** Stored at once in memory, and soon on disk. */
  add(ticket: SessionKey, origin: string): void;
  used(session: string): void;
  /** A page with this ticket is connected: it is in use until the function that is returned is called. */
  connected(session: string): () => void;
  /** Resolves when all are written, or writing failed: open tabs must then be opened again. */
  settled(): Promise<void>;
}

export async function openTickets(dataFolder: string, now: () => number = Date.now): Promise<TicketStore> {
  const path = join(dataFolder, 'web-tabs.json');
  // Without the file, or where a power cut damaged it, tabs must be opened again.
  const kept = await readFile(path, 'utf8')
    .then((text) => TicketFile.parse(JSON.parse(text)))
    .catch(() => []);
  const tickets = new Map<string, Ticket>(
    kept.filter(({ usedAt }) => usedAt > now() - lifetimeMs).map((ticket) => [ticket.session, ticket]),
  );
  /** How many pages have each: a tab that was duplicated has the ticket of the first. */
  const inUse = new Map<string, number>();
  const inTurn = createSerialQueue();
  const put = (ticket: Ticket): void => {
    // Least recently used first.
    tickets.delete(ticket.session);
    tickets.set(ticket.session, ticket);
    // A tab that is open may have connected long ago, and have what was not saved.
    const dropped = [...tickets.keys()].sort((a, b) => Number(inUse.has(a)) - Number(inUse.has(b)));
    for (const session of dropped.slice(0, Math.max(0, tickets.size - maxTickets))) tickets.delete(session);
    inTurn(() => writePrivate(path, `${JSON.stringify([...tickets.values()])}\n`)).catch(() => undefined);
  };
  const used = (session: string): void => {
    const ticket = tickets.get(session);
    if (ticket !== undefined) put({ ...ticket, usedAt: now() });
  };
  return {
    get: (session) => tickets.get(session),
    add: (ticket, origin) => put({ ...ticket, origin, usedAt: now() }),
    used,
    connected(session) {
      inUse.set(session, (inUse.get(session) ?? 0) + 1);
      const renewal = setInterval(() => used(session), renewalMs).unref();
      let left = false;
      return () => {
        if (left) return;
        left = true;
        clearInterval(renewal);
        used(session);
        const others = (inUse.get(session) ?? 1) - 1;
        if (others > 0) inUse.set(session, others);
        else inUse.delete(session);
      };
    },
    settled: () => inTurn.settled(),
  };
}
