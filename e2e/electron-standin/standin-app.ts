/** Starts the built Electron host on the fake, and gives its page to the test. */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { project } from '../app-process.ts';
import type { Order, Report } from './control.ts';

export interface StandInApp {
  readonly page: Page;
  readonly reports: readonly Report[];
  /** The first report, past or future, that passes the check. */
  reported(passes: (report: Report) => boolean): Promise<Report>;
  order(order: Order): void;
  /** Quits as the operating system does; returns the exit code. */
  quit(): Promise<number | null>;
  errors(): string;
}

const patience = 60_000;

export async function startStandIn(dataFolder: string): Promise<StandInApp> {
  const reports: Report[] = [];
  const waiting = new Set<() => void>();
  let errors = '';
  const child = fork(join(project, 'dist', 'main', 'electron.js'), [], {
    cwd: project,
    execArgv: ['--disable-warning=ExperimentalWarning', '--import', './e2e/electron-standin/register.ts'],
    env: { ...process.env, RINGLAB_DATA: dataFolder, RINGLAB_NETWORK: 'off' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-20_000)));
  child.on('message', (message: Report) => {
    reports.push(message);
    for (const look of [...waiting]) look();
  });
  const reported = (passes: (report: Report) => boolean): Promise<Report> =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        waiting.delete(look);
        child.off('exit', onExit);
      };
      const look = (): void => {
        const found = reports.find(passes);
        if (found === undefined) return;
        stop();
        resolve(found);
      };
      const fail = (why: string): void => {
        stop();
        reject(new Error(`${why}\n${errors}\n${JSON.stringify(reports)}`));
      };
      const onExit = (code: number | null): void => fail(`the host ended with code ${code ?? 'none'}`);
      const timer = setTimeout(() => fail('the host did not report this'), patience);
      child.once('exit', onExit);
      waiting.add(look);
      look();
    });
  const quit = endOf(child);
  try {
    const found = await reported(({ what }) => what === 'endpoint');
    if (found.what !== 'endpoint') throw new Error('unreachable');
    await reported(({ what }) => what === 'shown');
    const browser = await chromium.connectOverCDP(found.endpoint);
    const page = browser.contexts()[0]?.pages()[0];
    if (page === undefined) throw new Error('the stand-in has no page');
    return {
      page,
      reports,
      reported,
      order: (order) => child.send(order),
      errors: () => errors,
      async quit() {
        const code = await quit();
        // This is a second connection to a browser that the host has closed.
        await browser.close();
        return code;
      },
    };
  } catch (error) {
    await quit();
    throw error;
  }
}

const endOf = (child: ChildProcess) => async (): Promise<number | null> => {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const code = await ended;
  clearTimeout(timer);
  return code;
};
