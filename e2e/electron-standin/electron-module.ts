/**
 * A fake of the module `electron`, for machines without its binary: the part of the API that the host uses, with Debian's
 * Chromium as the window. It does not test Chromium's enforcement of `sandbox` and `contextIsolation`; e2e/electron tests
 * the real one where it is installed.
 */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { project } from '../app-process.ts';
import { BrowserWindow, ipcMain, protocol, whenLastWindowCloses } from './browser-window.ts';
import { report, type Order } from './control.ts';

export { BrowserWindow, ipcMain, protocol };

class App extends EventEmitter {
  readonly isPackaged = false;
  getAppPath(): string {
    return project;
  }
  setPath(): void {
    // Chromium's profile belongs to the fake.
  }
  getPath(): string {
    return tmpdir();
  }
  getVersion(): string {
    const text = readFileSync(join(project, 'package.json'), 'utf8');
    return /"version": "([^"]+)"/.exec(text)?.[1] ?? '';
  }
  getLocale(): string {
    return 'en-US';
  }
  requestSingleInstanceLock(): boolean {
    return true;
  }
  whenReady(): Promise<void> {
    return Promise.resolve();
  }
  /** The windows first, then the app, which may delay the quit. */
  quit(): void {
    this.emit('before-quit');
    void Promise.all(BrowserWindow.getAllWindows().map((window) => window.end())).then(() => {
      const event = { prevented: false, preventDefault: () => (event.prevented = true) };
      this.emit('will-quit', event);
      if (!event.prevented) this.exit(0);
    });
  }
  exit(code: number): void {
    process.exit(code);
  }
}
export const app = new App();
let isQuitting = false;
whenLastWindowCloses(() => {
  if (!isQuitting) app.emit('window-all-closed');
});
process.once('SIGTERM', () => {
  isQuitting = true;
  app.quit();
});

let savePath: string | undefined;
let pressed = 0;
export const dialog = {
  showSaveDialog: (...args: unknown[]) => {
    const { defaultPath } = args.at(-1) as { defaultPath: string };
    const filePath = savePath ?? '';
    return Promise.resolve({ canceled: savePath === undefined, filePath, defaultPath });
  },
  showMessageBox: (options: { message: string; buttons: string[] }) => {
    report({ what: 'question', message: options.message, buttons: options.buttons });
    return Promise.resolve({ response: pressed });
  },
  showErrorBox: (title: string, content: string) => report({ what: 'error-box', title, content }),
};

export class Notification {
  static isSupported(): boolean {
    return true;
  }
  readonly #message: { title: string; body: string };
  constructor(message: { title: string; body: string }) {
    this.#message = message;
  }
  show(): void {
    report({ what: 'notification', ...this.#message });
  }
}

export const safeStorage = { getSelectedStorageBackend: () => 'basic_text' };
export const Menu = { setApplicationMenu: () => undefined, buildFromTemplate: () => ({}) };
export const nativeTheme = { shouldUseDarkColors: false };
export const screen = { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] };
export const shell = {
  openExternal: (url: string) => {
    report({ what: 'outside', url });
    return Promise.resolve();
  },
};

type Check = (contents: unknown, permission: string, origin: string) => boolean;
type Ask = (
  contents: unknown,
  permission: string,
  answer: (granted: boolean) => void,
  details: { requestingUrl: string },
) => void;
// Electron's own default: every permission is granted.
let check: Check = () => true;
let ask: Ask = (_contents, _permission, answer) => answer(true);
export const session = {
  defaultSession: Object.assign(new EventEmitter(), {
    setPermissionCheckHandler: (handler: Check) => (check = handler),
    setPermissionRequestHandler: (handler: Ask) => (ask = handler),
    setDevicePermissionHandler: () => undefined,
    setDisplayMediaRequestHandler: () => undefined,
  }),
};

process.on('message', (order: Order) => {
  const [window] = BrowserWindow.getAllWindows();
  switch (order.order) {
    case 'save-to':
      savePath = order.path;
      break;
    case 'press':
      pressed = order.button;
      break;
    case 'ask-permission': {
      const { permission } = order;
      ask(
        window?.webContents,
        permission,
        (asked) =>
          report({
            what: 'permission',
            permission,
            asked,
            checked: check(null, permission, 'ringlab://app'),
          }),
        { requestingUrl: 'ringlab://app/index.html' },
      );
      break;
    }
    case 'send-from':
      ipcMain.emit(
        'ringlab:message',
        { sender: window?.webContents, senderFrame: { url: order.url } },
        order.message,
      );
      break;
  }
});
