/**
 * Debian's Chromium in place of Electron's: it loads the real renderer through the host's real protocol handler, and
 * runs the real preload before the page's own scripts. Chromium knows no `ringlab:` scheme, so the page has an https
 * origin that represents `ringlab://app`; no request leaves the machine.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as playwright, type BrowserContext, type Frame, type Page } from '@playwright/test';
import { chromium } from '../playwright.config.ts';

const appOrigin = 'ringlab://app';
const shownOrigin = 'https://app.ringlab.test';
const toShown = (address: string): string => address.replace(appOrigin, shownOrigin);
export const fromShown = (address: string): string => address.replace(shownOrigin, appOrigin);

export interface ChromiumWindow {
  readonly page: Page;
  /** The page, for tests that act as a user. */
  readonly endpoint: string;
  load(address: string): Promise<void>;
  /** Sends a message to the preload's `ipcRenderer`. */
  deliver(channel: string, message: unknown): void;
  close(): Promise<void>;
}

export interface WindowEvents {
  /** The response of the host's `protocol.handle`. */
  answer(request: Request): Promise<Response>;
  /** The preload called `ipcRenderer.send`. */
  onMessage(frame: Frame, channel: string, args: unknown[]): void;
  /** The page navigates; returning true allows it. */
  mayNavigate(address: string): boolean;
  /** The page called `window.open`. */
  onOpen(address: string): void;
  onClose(): void;
}

/** What a sandboxed preload gets from `require('electron')`, on top of two functions of this fake. */
const aroundPreload = (preload: string): string => `(() => {
  const listeners = new Map();
  const freeze = (value) => {
    if (value !== null && (typeof value === 'object' || typeof value === 'function')) Object.values(value).forEach(freeze);
    return Object.freeze(value);
  };
  const send = window.standInSend, open = window.standInOpen;
  delete window.standInSend;
  delete window.standInOpen;
  Object.defineProperty(window, 'standInDeliver', { value: (channel, message) => {
    for (const listener of listeners.get(channel) ?? []) listener({}, message);
  } });
  window.open = (address) => { void open(String(new URL(address, location.href))); return null; };
  const electron = {
    contextBridge: { exposeInMainWorld: (name, api) => Object.defineProperty(window, name, { value: freeze(api), enumerable: true }) },
    ipcRenderer: {
      send: (channel, ...args) => void send(channel, structuredClone(args)),
      on: (channel, listener) => void listeners.set(channel, [...(listeners.get(channel) ?? []), listener]),
    },
  };
  const require = (name) => {
    if (name === 'electron') return electron;
    throw new Error('a sandboxed preload cannot require ' + name);
  };
  const module = { exports: {} };
  ((require, module, exports) => {${preload}
})(require, module, module.exports);
})();`;

export async function openChromium(preloadPath: string, events: WindowEvents): Promise<ChromiumWindow> {
  const profile = mkdtempSync(join(tmpdir(), 'ringlab-standin-'));
  const context = await playwright.launchPersistentContext(profile, {
    executablePath: chromium.executablePath,
    args: [...chromium.args, '--remote-debugging-port=0'],
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    // The host closes the window after asking the user about active runs.
    handleSIGTERM: false,
  });
  const page = context.pages()[0] ?? (await context.newPage());
  await page.exposeBinding('standInSend', ({ frame }, channel: string, args: unknown[]) =>
    events.onMessage(frame, channel, args),
  );
  await page.exposeBinding('standInOpen', (_source, address: string) => events.onOpen(address));
  await page.addInitScript({ content: aroundPreload(readFileSync(preloadPath, 'utf8')) });
  await routeAll(context, page, events);
  page.once('close', () => events.onClose());
  let last: Promise<unknown> = Promise.resolve();
  return {
    page,
    endpoint: await debuggingEndpoint(profile),
    load: async (address) => {
      await page.goto(toShown(address));
    },
    deliver(channel, message) {
      // In order, and dropped while the page is reloaded, as in Electron.
      last = last
        .then(() =>
          page.evaluate(
            ([name, value]) => {
              const { standInDeliver } = window as unknown as {
                standInDeliver?: (channel: string, message: unknown) => void;
              };
              standInDeliver?.(name, value);
            },
            [channel, message] as const,
          ),
        )
        .catch(() => undefined);
    },
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function routeAll(context: BrowserContext, page: Page, events: WindowEvents): Promise<void> {
  await context.route('**/*', async (route) => {
    const request = route.request();
    const address = fromShown(request.url());
    if (
      request.isNavigationRequest() &&
      request.frame() === page.mainFrame() &&
      !events.mayNavigate(address)
    ) {
      await route.abort('aborted');
      return;
    }
    if (!address.startsWith(`${appOrigin}/`)) {
      await route.abort('blockedbyclient');
      return;
    }
    const response = await events.answer(new Request(address, { method: request.method() }));
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
}

/** Chromium writes the port that it chose into its profile. */
async function debuggingEndpoint(profile: string): Promise<string> {
  for (let look = 0; ; look += 1) {
    try {
      const [port] = readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n');
      if (port !== undefined && port !== '') return `http://127.0.0.1:${port}`;
    } catch (error) {
      if (look > 100) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
