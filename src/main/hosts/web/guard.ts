/**
 * From where the web host may be asked. A server on the loopback is not safe by being there: any page in the same browser
 * can send requests to it (DNS rebinding, cross-site WebSockets). So: exact Host and Origin. Who asks is for sessions.ts.
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
  /** Throws `origin_refused` unless Host is exactly ours, and Origin, where there is one, too. */
  checkPlace(headers: PlaceHeaders): void;
  /** The same for what changes something: there must be an Origin. Returns it. */
  checkPage(headers: PlaceHeaders): string;
}

/**
 * The name `localhost` is not ours: it may lead to ::1, where another user of this computer can listen on the same port.
 * @param port the port that is listened on
 * @param devOrigin the dev server's exact origin, allowed beside our own
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
