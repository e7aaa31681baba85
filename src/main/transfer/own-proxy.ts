/**
 * This computer's own proxy, from `https_proxy`, `http_proxy` and `no_proxy` in lower or upper case. Node uses the
 * same variables for its own requests, but not for tunnels.
 */
import http, { Agent as HttpAgent, request as requestHttp, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { BlockList, isIP, type Socket } from 'node:net';
import { phrase } from '../i18n/index.ts';
import { WordedError } from '../base/reason.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Protocol = 'http:' | 'https:';

const connectMs = 20_000;
const named = (environment: Environment, name: string): string =>
  (environment[name] ?? environment[name.toUpperCase()] ?? '').trim();

/** `example.org`, `.example.org`, `*.example.org`, `example.org:8080`, `10.0.0.0/8`, `*` */
export function isListed(host: string, port: number, list: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  const family = isIP(name);
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      const [, network, bits] = /^([\d.]+|[\da-f:]+)\/(\d{1,3})$/.exec(entry) ?? [];
      if (network !== undefined) return family !== 0 && isIn(name, family, network, Number(bits));
      const [, only, at] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
      if (only === undefined || only === '' || (at !== undefined && Number(at) !== port)) return false;
      const suffix = only.replace(/^\*?\./, '');
      return name === suffix || (family === 0 && name.endsWith(`.${suffix}`));
    });
}

function isIn(address: string, family: number, network: string, bits: number): boolean {
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  if (isIP(network) !== family || bits > (family === 6 ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, kind);
  return list.check(address, kind);
}

/** The proxy for `protocol` and this host; undefined for a direct connection. */
export function ownProxyFor(
  protocol: Protocol,
  host: string,
  port: number,
  environment: Environment = process.env,
): URL | undefined {
  const written = named(environment, protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  if (written === '' || isListed(host, port, named(environment, 'no_proxy'))) return undefined;
  const proxy = URL.parse(written.includes('://') ? written : `http://${written}`);
  return proxy !== null && /^https?:$/.test(proxy.protocol) ? proxy : undefined;
}

/**
 * Makes this process's fetch use the proxy, too (bucket listings). Returns a function that ends it. Older versions of
 * Node, as in Electron, connect directly.
 */
export const followOwnProxy = (environment: Environment = process.env): (() => void) =>
  'setGlobalProxyFromEnv' in http ? http.setGlobalProxyFromEnv(environment) : () => undefined;

/** For one request: through this proxy, or direct. */
export function agentThrough(proxy: URL | undefined, protocol: Protocol): HttpAgent {
  const options =
    proxy === undefined ? {} : { proxyEnv: { http_proxy: proxy.href, https_proxy: proxy.href } };
  return protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
}

/** A request to the proxy itself for `target`. */
export function askProxy(
  proxy: URL,
  method: string,
  target: string,
  headers: readonly string[],
): ClientRequest {
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const credentials =
    login === ':' ? [] : ['Proxy-Authorization', `Basic ${Buffer.from(login).toString('base64')}`];
  const isSecure = proxy.protocol === 'https:';
  return (isSecure ? requestHttps : requestHttp)({
    method,
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port === '' ? (isSecure ? 443 : 80) : Number(proxy.port),
    path: target,
    headers: [...headers, ...credentials],
    agent: false,
  });
}

/** A connection opened by the proxy. Rejects where it does not answer, or with its error. */
export function tunnelThrough(proxy: URL, host: string, port: number): Promise<Socket> {
  const target = `${host}:${port}`;
  return new Promise((resolve, reject) => {
    const asked = askProxy(proxy, 'CONNECT', target, ['Host', target]);
    asked.setTimeout(connectMs, () =>
      asked.destroy(new WordedError(phrase('reasons.proxy.silent', { proxy: proxy.host }))),
    );
    asked.once('error', reject);
    asked.once('connect', (answer, socket: Socket, head) => {
      socket.setTimeout(0);
      if (answer.statusCode !== 200) {
        socket.destroy();
        const status = answer.statusCode ?? '?';
        reject(new WordedError(phrase('reasons.proxy.answers', { proxy: proxy.host, status, target })));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.end();
  });
}
