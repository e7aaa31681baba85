/** `ringlab app` as a program: with a stand-in for the browser, which only writes down what it is started with. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { codeOf, connect, enter } from '../../web/testing/page-client.ts';
import { createCommandBench, patience, type Command, type CommandBench } from '../testing/processes.ts';

let bench: CommandBench;
let browser: string;
beforeEach(async () => {
  bench = await createCommandBench('数据 data');
  browser = join(bench.folder, 'my chromium');
  writeFileSync(browser, '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.args.part"\nmv "$0.args.part" "$0.args"\n', {
    mode: 0o755,
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await bench.close();
});

/** An X display that nothing is drawn on: the stand-in needs none. */
function desktop(): void {
  vi.stubEnv('DISPLAY', ':99');
  vi.stubEnv('RINGLAB_BROWSER', browser);
}

/** The address in the file that the browser was started with. */
async function shown(): Promise<{ port: number; code: string; words: string[] }> {
  await expect.poll(() => existsSync(`${browser}.args`), patience).toBe(true);
  const words = readFileSync(`${browser}.args`, 'utf8').trim().split('\n');
  const file = fileURLToPath(words.find((word) => word.startsWith('--app='))?.slice('--app='.length) ?? '');
  const address = /location\.replace\("([^"]+)"\)/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  return { port: Number(new URL(address).port), code: codeOf(address), words };
}
const ended = (command: Command): Promise<number | null> => command.ended.then(() => command.child.exitCode);

it('opens an app window, takes no second place, and ends with its last window', async () => {
  desktop();
  const app = bench.ringlab('app');
  const first = await shown();
  expect(first.words).toContain(`--user-data-dir=${join(bench.data, 'browser')}`);
  // Other users of this computer see a process's arguments.
  expect(first.words.join(' ')).not.toContain(first.code);
  const { key, cookie } = await enter(first.port, first.code);
  const page = await connect(first.port, key, cookie);

  rmSync(`${browser}.args`);
  const second = bench.ringlab('app');
  expect(await ended(second)).toBe(0);
  const again = await shown();
  expect(again.port).toBe(first.port);
  expect(again.code).not.toBe(first.code);

  page.socket.terminate();
  expect(await ended(app)).toBe(0);
  expect(app.stderr()).toContain('The last window is closed');
  // Neither is a terminal: from a desktop entry what is printed stays in the journal.
  for (const command of [app, second]) expect(command.stdout() + command.stderr()).not.toContain('#code=');
  expect(existsSync(join(bench.data, 'web-host.json'))).toBe(false);
}, 180_000);

it('without a browser says how to open the address, and serves it', async () => {
  for (const name of ['DISPLAY', 'WAYLAND_DISPLAY']) vi.stubEnv(name, undefined);
  const app = bench.ringlab('app');
  await expect.poll(app.stderr, patience).toContain('No browser could be started');
  const [, address = ''] = /Ringlab: (http:\S+)/.exec(app.stdout()) ?? [];
  const answer = await fetch(address);
  expect(answer.status).toBeLessThan(500);
  app.child.kill('SIGTERM');
  expect(await ended(app)).toBe(0);
}, 120_000);

it('names the port that is taken', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const place = other.address();
  const port = place === null || typeof place === 'string' ? 0 : place.port;
  const app = bench.ringlab('app', '--no-open', '--port', String(port));
  expect(await ended(app)).toBe(1);
  expect(app.stderr()).toContain(`The port ${String(port)} of this computer is in use`);
  other.close();
}, 120_000);

it('leaves the data folder of a newer version alone', async () => {
  const made = bench.ringlab('runs');
  expect(await ended(made)).toBe(0);
  const mark = join(bench.data, 'format.json');
  writeFileSync(mark, '{"format":"ringlab-data","version":7,"by":"9.0.0"}');
  const older = bench.ringlab('runs');
  expect(await ended(older)).toBe(1);
  expect(older.stderr()).toContain('was changed by Ringlab 9.0.0, which is newer');
  expect(readFileSync(mark, 'utf8')).toContain('"version":7');

  // From the desktop entry no terminal shows that: the default browser does.
  const opener = join(bench.folder, 'xdg-open');
  writeFileSync(
    opener,
    '#!/bin/sh\ncp "$1" "$0.part" && mv "$0.part" "$0.html" && rm -r "$(dirname "$1")"\n',
    {
      mode: 0o755,
    },
  );
  vi.stubEnv('PATH', `${bench.folder}:${process.env.PATH ?? ''}`);
  vi.stubEnv('DISPLAY', ':99');
  expect(await ended(bench.ringlab('app'))).toBe(1);
  await expect.poll(() => existsSync(`${opener}.html`), patience).toBe(true);
  expect(readFileSync(`${opener}.html`, 'utf8')).toContain('was changed by Ringlab 9.0.0, which is newer');
}, 120_000);
