/**
 * `ringlab serve`: serves the app to a browser on this computer until it is stopped. `ringlab app`: the same as a program
 * with a window, which ends with it; a second start opens a window of the one that runs.
 */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { describeError } from '../../../../shared/i18n/error-texts.ts';
import type { App } from '../../../app/app.ts';
import { createAppOfWindow } from '../../../app/take-over.ts';
import { settleRuns } from '../../../app/closing.ts';
import { openedCodeMs } from '../../web/codes.ts';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { secondsNow, systemClock } from '../../../base/clock.ts';
import type { Platform } from '../../../base/platform.ts';
import { addressFor, createDownloads, findHost, startWebHost } from '../../web/index.ts';
import { closingQuestion } from '../closing-question.ts';
import { cliPlatform } from '../platform.ts';
import { projectFolder } from '../paths.ts';
import { removeOpeners, removeSpentOpeners, showAppWindow, showWindow } from '../window/show-window.ts';
import { needsApp } from '../window/needs-app.ts';
import { lastWindowClosed } from '../window/window-life.ts';
import { language, speak } from '../speak.ts';

export interface ServeOptions {
  readonly data: string | undefined;
  readonly port: number;
  readonly open: boolean;
  readonly devRenderer: string | undefined;
}

/** How long a start waits for another one of the same moment, which has the data folder but no page yet. */
const startingMs = 15_000;
/** Without a terminal nobody sees the address, nor can end the app: it ends by itself where no window opens. */
const opensWithinSeconds = 120;

export async function appCommand(options: Omit<ServeOptions, 'devRenderer'>): Promise<number> {
  const base = await cliPlatform(options.data);
  for (const start = performance.now(); ;) {
    const running = await findHost(base.paths.data).catch(() => undefined);
    if (running !== undefined) {
      await printAndShow(base.paths.data, options.open, (lifetimeMs) => addressFor(running, lifetimeMs));
      return 0;
    }
    try {
      return await serveOn(base, { ...options, devRenderer: undefined }, 'program');
    } catch (error) {
      const starting = error instanceof RinglabError && error.code === 'data_folder_busy';
      if (!starting || performance.now() - start > startingMs) throw error;
      await sleep(250);
    }
  }
}

function printAddress(address: string): void {
  process.stdout.write(`Ringlab: ${address}\n`);
  process.stderr.write(`${speak('cli.serve.address')}\n`);
}

/**
 * Prints an address and opens an app window; where that is impossible, says how to open it. Started from a desktop entry,
 * what is printed is in the journal, which others can read: where a window opens, no code that opens another one.
 */
async function printAndShow(
  dataFolder: string,
  opens: boolean,
  address: (lifetimeMs?: number) => string,
): Promise<void> {
  const print = (): void => printAddress(address());
  const isSeen = process.stdout.isTTY || !opens;
  if (isSeen) print();
  if (!opens) return;
  if ((await showAppWindow(dataFolder, address(openedCodeMs)).catch(() => undefined)) !== undefined) return;
  if (!isSeen) print();
  process.stderr.write(`${speak('cli.app.noBrowser')}\n`);
}

export const serveCommand = async (options: ServeOptions): Promise<number> =>
  serveOn(await cliPlatform(options.data), options, 'server');

async function serveOn(base: Platform, options: ServeOptions, as: 'server' | 'program'): Promise<number> {
  const downloads = createDownloads();
  const app = await createAppOfWindow({ ...base, kind: 'web', deliver: (file) => downloads.offer(file) });
  const host = await startWebHost({
    port: options.port,
    rendererFolder: join(projectFolder(), 'dist', 'renderer'),
    downloads,
    dataFolder: base.paths.data,
    serve: (transport) => app.serve(transport),
    onRefused: (error) =>
      process.stderr.write(
        `${speak('cli.serve.refused', { error: describeError(error, language).message })}\n`,
      ),
    devOrigin: options.devRenderer,
  }).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  const { data } = base.paths;
  await removeSpentOpeners(data);
  // Earlier versions stored a permanent secret here.
  await rm(join(data, 'web-token'), { force: true });
  host.onEntered((code) => void removeSpentOpeners(data, code));
  app.api.subscribe(({ name }) => {
    if (name === 'app.replaced') process.stderr.write(`${speak('cli.serve.replaced')}\n`);
  });
  const ending = new AbortController();
  const ends = [stopRequested(app.services.runs, ending.signal)];
  if (as === 'program') {
    await printAndShow(data, options.open, (lifetimeMs) => host.address(lifetimeMs));
    ends.push(windowsClosed(app, () => host.windows(), ending.signal));
  } else {
    printAddress(host.address());
    // Best effort: the address is printed in any case.
    if (options.open) await showWindow(data, host.address(openedCodeMs)).catch(() => undefined);
  }
  const spent = setInterval(() => void removeSpentOpeners(data), openedCodeMs).unref();
  try {
    await Promise.race(ends);
  } finally {
    // Also where runs could not be listed: the page and the data folder must not stay taken by an app that nobody can end.
    ending.abort();
    clearInterval(spent);
    await host.close();
    await removeOpeners(data);
    await app.close();
  }
  return 0;
}

/** Never resolves after `signal`: the app ends for another reason. */
async function windowsClosed(app: App, windows: () => number, signal: AbortSignal): Promise<void> {
  const { runs, replaced } = app.services;
  await lastWindowClosed({
    windows,
    // The new version's app continues with them.
    isRunning: async () => !replaced.now() && (await needsApp(runs, secondsNow(systemClock))),
    second: () => sleep(1000, undefined, { signal }),
    onLeftRunning: () => process.stderr.write(`${speak('cli.app.goesOn')}\n`),
    opensWithin: process.stdin.isTTY ? undefined : opensWithinSeconds,
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return new Promise<never>(() => undefined);
  });
  process.stderr.write(`${speak('cli.app.closed')}\n`);
}

/** SIGTERM ends at once and keeps runs running; Ctrl+C at a terminal asks. */
async function stopRequested(runs: App['services']['runs'], ended: AbortSignal): Promise<void> {
  for (;;) {
    const signal = await new Promise<NodeJS.Signals>((resolve) => {
      const names = ['SIGINT', 'SIGTERM'] as const;
      const stop = (name: NodeJS.Signals): void => {
        for (const one of names) process.off(one, stop);
        resolve(name);
      };
      for (const name of names) process.on(name, stop);
      ended.addEventListener('abort', () => names.forEach((one) => process.off(one, stop)), { once: true });
    });
    if (signal === 'SIGTERM' || !process.stdin.isTTY) return;
    if (await settleRuns(runs, closingQuestion())) return;
  }
}
