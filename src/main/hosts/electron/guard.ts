/**
 * Restricts pages in the window: no permissions, navigation, new windows or embedded pages. Electron allows all of it
 * by default.
 */
import type { Session, WebContents, WebFrameMain } from 'electron';
import { isAppAddress } from './app-protocol.ts';

/** The only permission that our own page gets: writing copied text to the clipboard. */
const granted = 'clipboard-sanitized-write';

export function denyPermissions(session: Session): void {
  const isGranted = (permission: string, origin: string): boolean =>
    permission === granted && isAppAddress(origin);
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(isGranted(permission, requestingUrl)),
  );
  session.setPermissionCheckHandler((_contents, permission, origin) => isGranted(permission, origin));
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler(null);
  // Files are delivered through our own save dialog (`deliver`), never through Chromium's downloads.
  session.on('will-download', (event) => event.preventDefault());
}

/**
 * @param openOutside called with an https address that the page opens in a new window: a link that the user clicked,
 * shown in their browser
 */
export function keepInside(contents: WebContents, openOutside: (address: string) => void): void {
  const stay = (event: { url: string; preventDefault(): void }): void => {
    if (!isAppAddress(event.url)) event.preventDefault();
  };
  contents.on('will-navigate', stay);
  contents.on('will-frame-navigate', stay);
  contents.on('will-redirect', stay);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    const address = outsideAddress(url);
    if (address !== undefined) openOutside(address);
    return { action: 'deny' };
  });
}

/** The address if it is safe to open in a browser: https only, without user name or password. */
export function outsideAddress(address: string): string | undefined {
  try {
    const url = new URL(address);
    return url.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Accepts a message only from the main frame of one of our windows with our own page. */
export function isTrustedSender(
  event: { readonly sender: WebContents; readonly senderFrame: WebFrameMain | null },
  ours: WebContents,
): boolean {
  const { sender, senderFrame } = event;
  if (sender !== ours || senderFrame === null) return false;
  return senderFrame === ours.mainFrame && isAppAddress(senderFrame.url);
}
