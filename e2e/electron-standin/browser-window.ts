/** The parts of Electron's BrowserWindow and WebContents that the host uses. */
import { EventEmitter } from 'node:events';
import type { Frame } from '@playwright/test';
import { fromShown, openChromium, type ChromiumWindow } from './chromium-window.ts';
import { report } from './control.ts';

export const ipcMain = new EventEmitter();

type Handler = (request: Request) => Promise<Response>;
const handlers = new Map<string, Handler>();
const privileges: unknown[] = [];
export const protocol = {
  registerSchemesAsPrivileged: (schemes: readonly unknown[]) => privileges.push(...schemes),
  handle: (scheme: string, handler: Handler) => handlers.set(scheme, handler),
};

class WebContents extends EventEmitter {
  mainFrame: { url: string } = { url: 'about:blank' };
  openHandler: (details: { url: string }) => { action: string } = () => ({ action: 'allow' });
  chromium: ChromiumWindow | undefined;

  isDestroyed(): boolean {
    return this.chromium === undefined;
  }
  send(channel: string, message: unknown): void {
    // Electron clones messages: a value that cannot be cloned fails here too.
    this.chromium?.deliver(channel, structuredClone(message));
  }
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler;
  }
  /** A message as the host receives it. The main frame stays the same object as long as the page does. */
  receive(frame: Frame, channel: string, args: readonly unknown[]): void {
    const isMain = frame === this.chromium?.page.mainFrame();
    const url = fromShown(frame.url());
    if (isMain) this.mainFrame.url = url;
    ipcMain.emit(channel, { sender: this, senderFrame: isMain ? this.mainFrame : { url } }, ...args);
  }
  mayNavigate(url: string): boolean {
    if (this.mainFrame.url === 'about:blank') return true;
    let allowed = true;
    this.emit('will-navigate', { url, preventDefault: () => (allowed = false) });
    report({ what: 'navigation', url, allowed });
    return allowed;
  }
}

interface WindowOptions {
  readonly width: number;
  readonly height: number;
  readonly webPreferences: { readonly preload: string };
}

const windows = new Set<BrowserWindow>();

export class BrowserWindow extends EventEmitter {
  static getAllWindows(): BrowserWindow[] {
    return [...windows];
  }
  readonly webContents = new WebContents();
  readonly #options: WindowOptions;

  constructor(options: WindowOptions) {
    super();
    this.#options = options;
    windows.add(this);
    report({ what: 'window', options: JSON.parse(JSON.stringify(options)) as unknown, privileges });
  }
  async loadURL(address: string): Promise<void> {
    const contents = this.webContents;
    contents.chromium = await openChromium(this.#options.webPreferences.preload, {
      answer: (request) => {
        const handler = handlers.get(new URL(request.url).protocol.slice(0, -1));
        return handler === undefined
          ? Promise.resolve(new Response(null, { status: 404 }))
          : handler(request);
      },
      onMessage: (frame, channel, args) => contents.receive(frame, channel, args),
      mayNavigate: (url) => contents.mayNavigate(url),
      onOpen: (url) => report({ what: 'open', url, ...contents.openHandler({ url }) }),
      onClose: () => this.#gone(),
    });
    report({ what: 'endpoint', endpoint: contents.chromium.endpoint });
    await contents.chromium.load(address);
    this.emit('ready-to-show');
  }
  #gone(): void {
    if (!windows.delete(this)) return;
    this.webContents.emit('destroyed');
    this.emit('closed');
    if (windows.size === 0) onLastClosed();
  }
  /** The host may delay the close, and destroy the window itself later. */
  async end(): Promise<void> {
    const event = { prevented: false, preventDefault: () => (event.prevented = true) };
    this.emit('close', event);
    if (event.prevented) await new Promise<void>((resolve) => this.once('closed', resolve));
    else await this.webContents.chromium?.close();
  }
  close(): void {
    void this.end();
  }
  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return { x: 0, y: 0, width: this.#options.width, height: this.#options.height };
  }
  isMaximized(): boolean {
    return false;
  }
  isMinimized(): boolean {
    return false;
  }
  show(): void {
    report({ what: 'shown' });
  }
}

let onLastClosed: () => void = () => undefined;
export const whenLastWindowCloses = (listener: () => void): void => {
  onLastClosed = listener;
};
