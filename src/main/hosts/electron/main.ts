/** Entry point of the Electron host: transport, platform, and the window. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app, BrowserWindow, dialog, Notification, protocol, safeStorage, session, shell } from 'electron';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import type { Language } from '../../../shared/base/language.ts';
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import type { App } from '../../app/app.ts';
import { createAppOfWindow } from '../../app/take-over.ts';
import { settleRuns, type ClosingQuestion } from '../../app/closing.ts';
import type { Platform } from '../../base/platform.ts';
import { phrase, say } from '../../i18n/index.ts';
import { asOneLine } from '../../../shared/base/plain-text.ts';
import { isShowable } from '../cli/show-place.ts';
import { hangDoor } from '../terminal-door.ts';
import { setMenu } from './app-menu.ts';
import { appSchemePrivileges, serveApp } from './app-protocol.ts';
import { deliverFile } from './deliver.ts';
import { denyPermissions } from './guard.ts';
import { programFile } from '../cli/paths.ts';
import { electronPaths } from './paths.ts';
import { sandboxWord } from './sandbox.ts';
import { openSecrets } from './secrets.ts';
import { openWindow } from './window.ts';

const paths = electronPaths({
  appPath: app.getAppPath(),
  resources: process.resourcesPath,
  isPackaged: app.isPackaged,
  args: process.argv.slice(1),
});
const log = (line: string): void => {
  process.stderr.write(`ringlab: ${line}\n`);
};

hangDoor();
protocol.registerSchemesAsPrivileged([appSchemePrivileges]);
// Separate Chromium files for each data folder, so that each has its own app instance.
mkdirSync(join(paths.data, 'electron'), { recursive: true, mode: 0o700 });
app.setPath('userData', join(paths.data, 'electron'));
const sandbox = sandboxWord(process.argv, process.getuid?.(), process.env, language());
if (sandbox !== undefined) log(`${sandbox.message} ${sandbox.hint}`);
if (sandbox?.goesOn === false) {
  dialog.showErrorBox(sandbox.message, sandbox.hint);
  app.exit(1);
} else if (app.requestSingleInstanceLock()) start();
else app.quit();

function language(): Language {
  return app.getLocale().startsWith('zh') ? 'zh-CN' : 'en';
}

function start(): void {
  let built: Promise<App> | undefined;
  let isClosing = false;
  let isQuitting = false;
  app.on('before-quit', () => {
    isQuitting = true;
  });
  const open = (): void => {
    openWindow({
      paths,
      log,
      serve: (transport) => {
        // A failure to create the app is reported once, by `fail`.
        built?.then(
          (ready) => ready.serve(transport),
          () => transport.close(),
        );
      },
      mayClose: async () => {
        const ready = await built?.catch(() => undefined);
        const may = ready === undefined || (await settleRuns(ready.services.runs, askWhatToDo));
        // The question has interrupted quitting. On other systems the app quits with its last window.
        if (!may) isQuitting = false;
        else if (isQuitting && process.platform === 'darwin') setImmediate(() => app.quit());
        return may;
      },
    });
  };
  app.on('second-instance', () => {
    const [window] = BrowserWindow.getAllWindows();
    if (window === undefined) return;
    if (window.isMinimized()) window.restore();
    window.focus();
  });
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0 && !isClosing) open();
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  app.on('will-quit', (event) => {
    if (isClosing || built === undefined) return;
    // The windows are closed; pending writes finish before the process ends. Runs on nodes continue.
    event.preventDefault();
    isClosing = true;
    built
      .then((ready) => ready.close())
      .catch((error: unknown) => log(`closing: ${String(error)}`))
      .finally(() => app.exit(0));
  });
  app
    .whenReady()
    .then(() => {
      setMenu(process.platform);
      denyPermissions(session.defaultSession);
      serveApp(protocol, paths.renderer);
      // The window and the app are created concurrently.
      built = electronPlatform().then((platform) => createAppOfWindow(platform));
      open();
      return built;
    })
    .catch(fail);
}

async function electronPlatform(): Promise<Platform> {
  return {
    kind: 'electron',
    version: app.getVersion(),
    paths,
    // Electron keeps an installed app's archive open, and stat() does not show that it was replaced.
    program: app.isPackaged ? undefined : programFile(),
    secrets: await openSecrets(safeStorage, join(paths.data, 'secrets.json'), process.platform),
    deliver: (file) =>
      deliverFile({ choosePlace: askForPlace, downloadsFolder: app.getPath('downloads') }, file),
    openPlace: async (place) => {
      if (!(await isShowable(place)))
        throw new RinglabError('file_unreadable', {
          path: asOneLine(place),
          reason: phrase('reasons.noPlace'),
        });
      if (place.startsWith('sftp://')) await shell.openExternal(place);
      else {
        const reason = await shell.openPath(place);
        if (reason !== '') throw new RinglabError('file_unreadable', { path: place, reason });
      }
    },
    notify: (message) => {
      if (Notification.isSupported()) new Notification(message).show();
    },
  };
}

async function askForPlace(suggestion: string): Promise<string | undefined> {
  const [window] = BrowserWindow.getAllWindows();
  const options = { defaultPath: suggestion };
  const { canceled, filePath } = await (window === undefined
    ? dialog.showSaveDialog(options)
    : dialog.showSaveDialog(window, options));
  return canceled || filePath === '' ? undefined : filePath;
}

/** Three buttons: the system shows them in its own order and language of the app. */
const askWhatToDo: ClosingQuestion = async (runs) => {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: say(language(), 'closing.title'),
    detail: runs.map(({ name }) => name).join('\n'),
    buttons: (['keep', 'stop', 'stay'] as const).map((choice) => say(language(), `closing.${choice}`)),
    defaultId: 0,
    cancelId: 2,
  });
  return response === 0 ? 'keep' : response === 1 ? 'stop' : 'stay';
};

/** The app cannot be created: shows the reason in the system's language, and quits. */
function fail(error: unknown): void {
  const { message, hint } = describeError(toWireError(error), language());
  log(`${message} ${error instanceof Error ? (error.stack ?? '') : ''}`);
  dialog.showErrorBox(message, hint);
  app.exit(1);
}
