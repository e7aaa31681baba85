/** Finding 2: a false host that takes the port after the app has stopped gets nothing of an open tab; the real app gets it back. */
import { createServer, type Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addressFor, findHost } from '../../src/main/hosts/web/index.ts';
import { startApp } from '../app-process.ts';
import { expect, test } from '../fixtures.ts';

/** Answers every request as well as it can, and records all that it receives. */
async function impostorOn(port: number): Promise<{ seen: string[]; server: Server }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''} ${JSON.stringify(request.headers)}`);
    request.on('data', (part: Buffer) => seen.push(part.toString('utf8')));
    request.on('end', () => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ nonce: 'n'.repeat(32), proof: 'p'.repeat(43) }));
    });
  });
  server.on('upgrade', (request, socket) => {
    seen.push(`UPGRADE ${JSON.stringify(request.headers)}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { seen, server };
}

test('finding 2: an open tab sends a false host nothing, and reconnects to the app afterwards', async ({
  page,
  app,
  dataFolder,
}) => {
  await page.goto(app.url);
  await expect(page.getByRole('button', { name: 'Run experiment' })).toBeVisible();
  expect(page.url()).not.toContain('code');
  const cookies = await page.context().cookies();
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict', path: '/session' }]);
  const kept = await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]));
  const { key } = await findHost(dataFolder);
  await app.stop();
  const { seen, server } = await impostorOn(app.port);
  const tryNow = page.getByRole('button', { name: 'Try now' });
  await tryNow.click().catch(() => undefined);
  await expect(page.getByRole('alert')).toContainText('Another program answers at this address');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  const all = seen.join('\n');
  expect(all).toContain('/session/challenge');
  expect(all).not.toMatch(/UPGRADE|cookie/i);
  expect(all).not.toContain(cookies[0]?.value);
  expect(all).not.toContain(key);
  // A page of the false host cannot read the ticket that this page returns with.
  const tickets = JSON.parse(await readFile(join(dataFolder, 'web-tabs.json'), 'utf8')) as { key: string }[];
  expect(tickets).not.toEqual([]);
  for (const ticket of tickets) {
    expect(all).not.toContain(ticket.key);
    expect(kept).not.toContain(ticket.key);
  }
  const again = await startApp(dataFolder, app.port);
  try {
    await tryNow.click({ timeout: 3000 }).catch(() => undefined);
    await expect(page.getByRole('alert')).toBeHidden({ timeout: 20_000 });
    // After a reload it is accepted too: it has logged in with a code of the new start.
    await page.reload();
    await expect(page.getByRole('button', { name: 'Run experiment' })).toBeVisible();
    await expect(page.getByRole('alert')).toBeHidden();
  } finally {
    await again.stop();
  }
});

test('finding 2: a second tab without a code shows what to type, and accepts a new address', async ({
  browser,
  app,
  dataFolder,
}) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const used = app.url;
  await page.goto(used);
  await expect(page.getByRole('button', { name: 'Run experiment' })).toBeVisible();
  const other = await context.newPage();
  await other.goto(used);
  await expect(other.getByRole('alert')).toContainText('ringlab open');
  // Pasting it into the same tab changes only the address's fragment.
  await other.goto(addressFor(await findHost(dataFolder)));
  await expect(other.getByRole('button', { name: 'Run experiment' })).toBeVisible();
  await expect(other.getByRole('alert')).toBeHidden();
  await context.close();
});
