/**
 * What a page in the window may not do: ask for permissions, go elsewhere, open windows, embed others. Electron allows
 * all of it by default.
 */
import type { Session, WebContents, WebFrameMain } from 'electron';
import { isAppAddress } from './app-protocol.ts';

/** The one permission that is granted, to our own page: putting text that the user copies on the clipboard. */
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
  // Files reach the user through a save dialog of ours (`deliver`), never through Chromium's downloads.
  session.on('will-download', (event) => event.preventDefault());
}

/**
 * @param openOutside is given an https address that the page wants in a window of its own: the user clicked a link,
 *   and their browser shows it
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

/** The address as a browser may be given it: https alone, without a name or password in it. */
export function outsideAddress(address: string): string | undefined {
  try {
    const url = new URL(address);
    return url.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** A message counts only from the main frame of a window of ours that shows our own page. */
export function isTrustedSender(
  event: { readonly sender: WebContents; readonly senderFrame: WebFrameMain | null },
  ours: WebContents,
): boolean {
  const { sender, senderFrame } = event;
  if (sender !== ours || senderFrame === null) return false;
  return senderFrame === ours.mainFrame && isAppAddress(senderFrame.url);
}
