/** The command line's platform, and the app behind it. */
import { copyFile, mkdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createApp, type App } from '../../app.ts';
import { describeError } from '../../../shared/error-texts.ts';
import type { Platform } from '../../platform.ts';
import { showPlace } from './show-place.ts';
import { memorySecrets } from './memory-secrets.ts';
import { dataFolder, pathsFor, projectVersion } from './paths.ts';
import { answerOnTerminal, terminalAsker } from './terminal-prompts.ts';

export interface OpenOptions {
  readonly data: string | undefined;
  /** Where `deliver` copies files to. */
  readonly out: string;
  readonly acceptNewHostKeys: boolean;
  readonly allowChanges: boolean;
  readonly allowLending: boolean;
}

export async function cliPlatform(options: Pick<OpenOptions, 'data' | 'out'>): Promise<Platform> {
  return {
    kind: 'cli',
    version: await projectVersion(),
    paths: pathsFor(dataFolder(options.data)),
    secrets: memorySecrets(),
    async deliver({ path, name }) {
      const target = join(resolve(options.out), name);
      await mkdir(resolve(options.out), { recursive: true });
      await copyFile(path, target);
      return { name, bytes: (await stat(target)).size, savedTo: target };
    },
    openPlace: showPlace,
    notify: () => undefined,
  };
}

export async function openApp(options: OpenOptions): Promise<App> {
  const app = await createApp(await cliPlatform(options));
  answerOnTerminal({
    subscribe: (listener) => app.services.events.subscribe(listener),
    answer: (promptId, answer) => app.services.prompts.answer(promptId, answer),
    asker: terminalAsker(),
    acceptNewHostKeys: options.acceptNewHostKeys,
    allowChanges: options.allowChanges,
    allowLending: options.allowLending,
  });
  app.services.events.subscribe((event) => {
    if (event.name !== 'connection.changed') return;
    const { error, retryAt } = event.data.connection;
    if (error === undefined || retryAt === undefined) return;
    process.stderr.write(`${error.where ?? ''}: ${describeError(error, 'en').message}\n`);
  });
  return app;
}
