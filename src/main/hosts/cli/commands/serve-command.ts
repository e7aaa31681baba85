/** `ringlab serve`: serves the app to a browser on this computer until it is stopped. */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { join } from 'node:path';
import { describeError } from '../../../../shared/i18n/error-texts.ts';
import { createApp, type App } from '../../../app/app.ts';
import { settleRuns, type ClosingQuestion } from '../../../app/closing.ts';
import { openedCodeMs } from '../../web/codes.ts';
import { createDownloads, startWebHost } from '../../web/index.ts';
import { typedLine } from '../../terminal-door.ts';
import { cliPlatform } from '../platform.ts';
import { projectFolder } from '../paths.ts';
import { removeOpeners, showWindow } from '../show-window.ts';
import { language, speak } from '../speak.ts';

export interface ServeOptions {
  readonly data: string | undefined;
  readonly port: number;
  readonly open: boolean;
  readonly devRenderer: string | undefined;
}

export async function serveCommand(options: ServeOptions): Promise<number> {
  const downloads = createDownloads();
  const base = await cliPlatform(options.data);
  const app = await createApp({ ...base, kind: 'web', deliver: (file) => downloads.offer(file) });
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
  await removeOpeners(data);
  // Earlier versions stored a permanent secret here.
  await rm(join(data, 'web-token'), { force: true });
  host.onEntered(() => void removeOpeners(data));
  process.stdout.write(`Ringlab: ${host.address()}\n`);
  process.stderr.write(`${speak('cli.serve.address')}\n`);
  // Best effort: the address is printed in any case.
  if (
    options.open &&
    (await showWindow(data, host.address(openedCodeMs)).catch(() => undefined)) !== undefined
  )
    setTimeout(() => void removeOpeners(data), openedCodeMs).unref();
  await stopRequested(app.services.runs);
  await host.close();
  await removeOpeners(data);
  await app.close();
  return 0;
}

/** SIGTERM ends at once and keeps runs running; Ctrl+C at a terminal asks. */
async function stopRequested(runs: App['services']['runs']): Promise<void> {
  for (;;) {
    const signal = await new Promise<NodeJS.Signals>((resolve) => {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, resolve);
    });
    if (signal === 'SIGTERM' || !process.stdin.isTTY) return;
    if (await settleRuns(runs, askOnTerminal)) return;
  }
}

const askOnTerminal: ClosingQuestion = async (runs) => {
  process.stderr.write(`\n${speak('cli.serve.underWay', { runs: runs.map(({ name }) => name) })} `);
  const lines = createInterface({ input: process.stdin, output: typedLine(false), terminal: true });
  // A second Ctrl+C chooses the default: runs keep running.
  const interrupted = new Promise<string>((resolve) => lines.once('SIGINT', () => resolve('k')));
  const typed = lines.question('');
  const answer = (await Promise.race([typed, interrupted])).trim().toLowerCase();
  lines.close();
  return answer.startsWith('s') ? 'stop' : answer.startsWith('c') ? 'stay' : 'keep';
};
