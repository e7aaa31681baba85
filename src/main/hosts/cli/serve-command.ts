/** `ringlab serve`: the same app for a browser on this computer. Runs until it is told to stop. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describeError } from '../../../shared/error-texts.ts';
import { createApp } from '../../app.ts';
import { createDownloads, startWebHost } from '../web/index.ts';
import { cliPlatform } from './open.ts';
import { projectFolder } from './paths.ts';

export interface ServeOptions {
  readonly data: string | undefined;
  readonly port: number;
  readonly open: boolean;
  readonly devRenderer: string | undefined;
}

export async function serveCommand(options: ServeOptions): Promise<number> {
  const downloads = createDownloads();
  const base = await cliPlatform({ data: options.data, out: '.' });
  const app = await createApp({ ...base, kind: 'web', deliver: (file) => downloads.offer(file) });
  const host = await startWebHost({
    port: options.port,
    rendererFolder: join(projectFolder(), 'dist', 'renderer'),
    downloads,
    tokenFile: join(base.paths.data, 'web-token'),
    serve: (transport) => app.serve(transport),
    onRefused: (error) => process.stderr.write(`refused: ${describeError(error, 'en').message}\n`),
    devOrigin: options.devRenderer,
  }).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  process.stdout.write(`Ringlab: ${host.url}\n`);
  if (options.open) openBrowser(host.url);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  await host.close();
  await app.close();
  return 0;
}

/** Best effort: the address is printed in any case. */
function openBrowser(url: string): void {
  const program =
    process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open';
  if (
    process.platform === 'linux' &&
    process.env.DISPLAY === undefined &&
    process.env.WAYLAND_DISPLAY === undefined
  )
    return;
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
