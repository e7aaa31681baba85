/**
 * Checks where a request to the web host comes from. A server on the loopback is not automatically safe: any page in
 * the same browser can send requests to it (DNS rebinding, cross-site WebSockets). Therefore Host and Origin must
 * match exactly. Authentication is in sessions.ts.
 */
import { RinglabError } from '../../../shared/base/errors.ts';

interface PlaceHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

export interface Guard {
  /** The origin of the page: the dev server's while developing. */
  readonly origin: string;
  /** Throws `origin_refused` unless Host, and Origin where present, match exactly. */
  checkPlace(headers: PlaceHeaders): void;
  /** The same for requests that change something: Origin is required. Returns it. */
  checkPage(headers: PlaceHeaders): string;
}

/**
 * The name `localhost` is not accepted: it may resolve to ::1, where another user can listen on the same port.
 * @param port the port of the web host
 * @param devOrigin the dev server's exact origin, also accepted
 */
export function createGuard(port: number, devOrigin?: string): Guard {
  const origins = new Set([`http://127.0.0.1:${port}`, ...(devOrigin === undefined ? [] : [devOrigin])]);
  const hosts = new Set([...origins].map((origin) => new URL(origin).host));
  const refuse = (origin: string): never => {
    throw new RinglabError('origin_refused', { origin });
  };
  const checkPlace = ({ host, origin }: PlaceHeaders): void => {
    if (host === undefined || !hosts.has(host)) refuse(host ?? '');
    if (origin !== undefined && !origins.has(origin)) refuse(origin);
  };
  return {
    origin: devOrigin ?? `http://127.0.0.1:${port}`,
    checkPlace,
    checkPage(headers) {
      checkPlace(headers);
      const site = headers['sec-fetch-site'];
      if (headers.origin === undefined || (site !== undefined && site !== 'same-origin'))
        return refuse(headers.origin ?? '');
      return headers.origin;
    },
  };
}
