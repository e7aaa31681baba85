/** The app's only window: sandboxed, restricted to our own pages, opened at its last position. */
import { join } from 'node:path';
import { BrowserWindow, ipcMain, nativeTheme, screen, shell } from 'electron';
import type { ServerTransport } from '../../../shared/contract/rpc.ts';
import { appPage } from './app-protocol.ts';
import { keepInside } from './guard.ts';
import type { ElectronPaths } from './paths.ts';
import { openingBounds, readWindowState, smallest, writeWindowState } from './window-state.ts';
import { serveWindow } from './wire.ts';

/** Background colours of both themes, so that nothing flashes before the page is drawn. */
const ground = { light: '#ffffff', dark: '#16181d' };
/** Milliseconds after the last change until the position is stored. */
const settle = 500;
/** Maximum number of crashes within this time after which the page is loaded again. */
const maxCrashes = 3;
const crashTime = 60_000;

export interface WindowOptions {
  readonly paths: ElectronPaths;
  serve(transport: ServerTransport): void;
  log(line: string): void;
  /** Asked before the window closes, which ends the app: runs may be active. */
  mayClose(): Promise<boolean>;
}

export function openWindow({ paths, serve, log, mayClose }: WindowOptions): BrowserWindow {
  const statePath = join(paths.data, 'window.json');
  const kept = readWindowState(statePath);
  const screens = screen.getAllDisplays().map(({ workArea }) => workArea);
  const window = new BrowserWindow({
    ...openingBounds(kept, screens),
    minWidth: smallest.width,
    minHeight: smallest.height,
    show: false,
    title: 'Ringlab',
    icon: join(paths.assets, 'icons', 'png', '256x256.png'),
    backgroundColor: nativeTheme.shouldUseDarkColors ? ground.dark : ground.light,
    autoHideMenuBar: true,
    webPreferences: {
      preload: paths.preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      spellcheck: false,
      // Charts are drawn even while another window is in front.
      backgroundThrottling: false,
    },
  });
  if (kept?.maximized === true) window.maximize();
  window.once('ready-to-show', () => window.show());
  keepInside(window.webContents, (address) => {
    shell.openExternal(address).catch((error: unknown) => log(`cannot open ${address}: ${String(error)}`));
  });
  serveWindow({
    ipc: ipcMain,
    contents: window.webContents,
    serve,
    onRefused: (address) => log(`refused a message from ${address}`),
  });
  keepPlace(window, statePath, log);
  askBeforeClosing(window, mayClose, log);
  comeBack(window, log);
  window.loadURL(appPage).catch((error: unknown) => log(`cannot load the window: ${String(error)}`));
  return window;
}

function askBeforeClosing(
  window: BrowserWindow,
  mayClose: WindowOptions['mayClose'],
  log: (line: string) => void,
): void {
  let state: 'open' | 'asking' | 'closing' = 'open';
  window.on('close', (event) => {
    if (state === 'closing') return;
    event.preventDefault();
    if (state === 'asking') return;
    state = 'asking';
    mayClose()
      .catch((error: unknown) => {
        // It must be possible to close the app even if it does not answer.
        log(`asking before closing: ${String(error)}`);
        return true;
      })
      .then(
        (may) => {
          state = may ? 'closing' : 'open';
          if (may) window.close();
        },
        () => undefined,
      );
  });
}

/** Reloads a page whose process crashed: main has the state, and the page stores unsaved changes. */
function comeBack(window: BrowserWindow, log: (line: string) => void): void {
  let crashes: number[] = [];
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    log(`the window's process ended: ${reason}`);
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    const now = Date.now();
    crashes = [...crashes.filter((at) => now - at < crashTime), now];
    // Repeated crashes would continue.
    if (crashes.length <= maxCrashes) window.webContents.reload();
  });
}

function keepPlace(window: BrowserWindow, path: string, log: (line: string) => void): void {
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    try {
      writeWindowState(path, { bounds: window.getNormalBounds(), maximized: window.isMaximized() });
    } catch (error) {
      log(`cannot keep the window's place: ${String(error)}`);
    }
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(write, settle);
  };
  window.on('resize', later);
  window.on('move', later);
  window.on('close', write);
}
