import { Agent as HttpsAgent } from 'node:https';
import { expect, test } from 'vitest';
import { ownProxyFor } from './proxy-variables.ts';

const environment = {
  https_proxy: 'http://proxy.example:3128',
  HTTP_PROXY: 'plain.example:8080',
  NO_PROXY:
    'example.org, .inner.example,*.wide.example other.example:8443,10.0.0.0/8,fd00::/8,192.0.2.7,[2001:db8::1]',
};
const through = (host: string, port = 443, env: Record<string, string> = environment): string | undefined =>
  ownProxyFor('https:', host, port, env)?.href;

test('each protocol has its own variable, in lower or upper case, with or without a scheme', () => {
  expect(through('mirror.example')).toBe('http://proxy.example:3128/');
  expect(ownProxyFor('http:', 'mirror.example', 80, environment)?.href).toBe('http://plain.example:8080/');
  expect(through('mirror.example', 443, {})).toBeUndefined();
  expect(through('mirror.example', 443, { https_proxy: 'socks5://proxy.example:1080' })).toBeUndefined();
});

test('finding: a password with a stray % or other signs is passed on as it is written', () => {
  const proxy = through('mirror.example', 443, { https_proxy: 'http://us%er:pa%ss%41@proxy.example:8080' });
  expect(proxy).toBe('http://us%25er:pa%25ss%41@proxy.example:8080/');
  expect(new HttpsAgent({ proxyEnv: { https_proxy: proxy } })).toBeDefined();
  // Not UTF-8.
  expect(through('mirror.example', 443, { https_proxy: 'http://user:%ff@proxy.example' })).toBe(
    'http://user:%25ff@proxy.example/',
  );
  // No address at all: curl cannot read it either.
  expect(
    through('mirror.example', 443, { https_proxy: 'http://user:p#ss@proxy.example:8080' }),
  ).toBeUndefined();
});

test.each([
  ['example.org', 443, false],
  ['sub.example.org', 443, false],
  ['notexample.org', 443, true],
  ['host.inner.example', 443, false],
  ['host.wide.example', 443, false],
  ['other.example', 443, true],
  ['other.example', 8443, false],
  ['10.20.30.40', 443, false],
  ['11.20.30.40', 443, true],
  ['[fd00::12]', 443, false],
  ['[fe00::12]', 443, true],
  ['192.0.2.7', 443, false],
  ['192.0.2.8', 443, true],
  ['[2001:db8::1]', 443, false],
])('%s:%i', (host, port, proxied) => {
  expect(through(host, port) !== undefined).toBe(proxied);
  expect(through(host, port, { ...environment, NO_PROXY: '*' })).toBeUndefined();
});
