/** `ringlab://app/…`: the window's origin. Serves only the built renderer, with the web host's CSP. */
import type { CustomScheme, Protocol } from 'electron';
import { readStaticFiles, securityHeaders, staticFile, type StaticFiles } from '../web/static-files.ts';

const appScheme = 'ringlab';
const appOrigin = `${appScheme}://app`;
export const appPage = `${appOrigin}/index.html`;

/** Must be registered before Electron is ready. `standard` gives it an origin, `secure` makes it a secure context. */
export const appSchemePrivileges: CustomScheme = {
  scheme: appScheme,
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
};

/** Whether an address belongs to the window's own pages. */
export function isAppAddress(address: string): boolean {
  try {
    // Node's URL reports the origin of a custom scheme as "null": compare the parts.
    const { protocol, host, username, password } = new URL(address);
    return protocol === `${appScheme}:` && host === 'app' && username === '' && password === '';
  } catch {
    return false;
  }
}

export function serveApp(protocol: Pick<Protocol, 'handle'>, rendererFolder: string): void {
  const files = readStaticFiles(rendererFolder);
  protocol.handle(appScheme, async (request) => answer(request, await files));
}

/** Refuses other origins, methods other than reading, and every other path. */
export function answer(request: Request, files: StaticFiles): Response {
  const refused = (status: number): Response =>
    new Response(null, { status, headers: { ...securityHeaders } });
  if (!isAppAddress(request.url)) return refused(403);
  if (request.method !== 'GET' && request.method !== 'HEAD') return refused(405);
  const file = staticFile(files, new URL(request.url).pathname);
  if (file === undefined) return refused(404);
  return new Response(request.method === 'HEAD' ? null : file.bytes, {
    headers: { ...securityHeaders, 'Content-Type': file.type },
  });
}
