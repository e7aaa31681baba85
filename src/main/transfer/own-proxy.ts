/** Requests and tunnels through this computer's own proxy (`ownProxyFor`). */
import { Agent as HttpAgent, request as requestHttp, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { phrase } from '../i18n/index.ts';
import type { Protocol } from '../base/proxy-variables.ts';
import { WordedError } from '../base/reason.ts';

const connectMs = 20_000;
/**
 * For requests of one protocol: through this proxy, or direct. Older versions of Node, as in Electron, connect directly.
 * @param keepAlive whether a connection serves several requests
 */
export function agentThrough(proxy: URL | undefined, protocol: Protocol, keepAlive = false): HttpAgent {
  const proxyEnv = proxy === undefined ? {} : { http_proxy: proxy.href, https_proxy: proxy.href };
  const options = { keepAlive, proxyEnv };
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
