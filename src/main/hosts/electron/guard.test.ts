import { EventEmitter } from 'node:events';
import type { Session, WebContents, WebFrameMain } from 'electron';
import { describe, expect, it } from 'vitest';
import { denyPermissions, isTrustedSender, keepInside, outsideAddress } from './guard.ts';

describe('permissions', () => {
  type Check = (contents: null, permission: string, origin: string) => boolean;
  type Ask = (
    contents: null,
    permission: string,
    answer: (granted: boolean) => void,
    details: { requestingUrl: string },
  ) => void;
  let check: Check | undefined;
  let ask: Ask | undefined;
  let device: (() => boolean) | undefined;
  const emitter = new EventEmitter();
  const session = {
    setPermissionRequestHandler: (handler: Ask) => (ask = handler),
    setPermissionCheckHandler: (handler: Check) => (check = handler),
    setDevicePermissionHandler: (handler: () => boolean) => (device = handler),
    setDisplayMediaRequestHandler: () => undefined,
    on: emitter.on.bind(emitter),
  };
  // The part of a Session that is used.
  denyPermissions(session as unknown as Session);

  it.each(['media', 'geolocation', 'notifications', 'fileSystem', 'clipboard-read', 'usb', 'openExternal'])(
    'are denied to our own page: %s',
    (permission) => {
      const answers: boolean[] = [];
      ask?.(null, permission, (granted) => answers.push(granted), { requestingUrl: 'ringlab://app/' });
      expect(answers).toEqual([false]);
      expect(check?.(null, permission, 'ringlab://app')).toBe(false);
      expect(device?.()).toBe(false);
    },
  );

  it('allow only our own page to write to the clipboard', () => {
    expect(check?.(null, 'clipboard-sanitized-write', 'ringlab://app')).toBe(true);
    expect(check?.(null, 'clipboard-sanitized-write', 'https://example.org')).toBe(false);
  });

  it('do not allow downloads', () => {
    let prevented = 0;
    emitter.emit('will-download', { preventDefault: () => (prevented += 1) });
    expect(prevented).toBe(1);
  });
});

describe('navigation', () => {
  const contents = Object.assign(new EventEmitter(), {
    open: (details: { url: string }): { action: string } => ({ action: `allow ${details.url}` }),
    setWindowOpenHandler(handler: (details: { url: string }) => { action: string }) {
      this.open = handler;
    },
  });
  const opened: string[] = [];
  // The part of a WebContents that is used.
  keepInside(contents as unknown as WebContents, (address) => opened.push(address));
  const prevented = (event: string, url: string): boolean => {
    let result = false;
    contents.emit(event, { url, preventDefault: () => (result = true) });
    return result;
  };

  it.each(['will-navigate', 'will-frame-navigate', 'will-redirect'])('stays on our pages: %s', (event) => {
    expect(prevented(event, 'https://example.org/')).toBe(true);
    expect(prevented(event, 'file:///etc/passwd')).toBe(true);
    expect(prevented(event, 'ringlab://app/index.html')).toBe(false);
  });

  it('embeds no foreign page', () => {
    expect(prevented('will-attach-webview', 'ringlab://app/')).toBe(true);
  });

  it('opens no window; an https link goes to the user’s browser', () => {
    expect(contents.open({ url: 'https://example.org/a b' })).toEqual({ action: 'deny' });
    expect(contents.open({ url: 'file:///etc/passwd' })).toEqual({ action: 'deny' });
    expect(opened).toEqual(['https://example.org/a%20b']);
  });

  it.each([
    'http://example.org/',
    'javascript:alert(1)',
    'smb://host/share',
    'https://a:b@example.org/',
    'x',
  ])('does not open %s in the browser', (address) => {
    expect(outsideAddress(address)).toBeUndefined();
  });
});

describe('the sender of a message', () => {
  // Frames and contents are compared by identity; only their address is read.
  const frame = (url: string): WebFrameMain => ({ url }) as unknown as WebFrameMain;
  const main = frame('ringlab://app/index.html');
  const ours = { mainFrame: main } as unknown as WebContents;

  it('is accepted as the main frame of our window on our page', () => {
    expect(isTrustedSender({ sender: ours, senderFrame: main }, ours)).toBe(true);
  });
  it('is refused as another window, an inner frame, a foreign page or a destroyed frame', () => {
    const other = { mainFrame: main } as unknown as WebContents;
    const strayed = frame('https://example.org/');
    const away = { mainFrame: strayed } as unknown as WebContents;
    expect(isTrustedSender({ sender: other, senderFrame: main }, ours)).toBe(false);
    expect(isTrustedSender({ sender: ours, senderFrame: frame('ringlab://app/') }, ours)).toBe(false);
    expect(isTrustedSender({ sender: away, senderFrame: strayed }, away)).toBe(false);
    expect(isTrustedSender({ sender: ours, senderFrame: null }, ours)).toBe(false);
  });
});
