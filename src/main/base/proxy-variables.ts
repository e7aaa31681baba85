/** Which proxy this computer uses for a host: `https_proxy`, `http_proxy` and `no_proxy`, in lower or upper case. */
import { BlockList, isIP } from 'node:net';

type Environment = Readonly<Record<string, string | undefined>>;
export type Protocol = 'http:' | 'https:';

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

/** Who uses the proxy decodes its name and password, Node's agents too, and would throw at a `%` that is meant as one. */
function decodable(part: string): string {
  try {
    decodeURIComponent(part);
    return part;
  } catch {
    const strays = part.replace(/%(?![\da-f]{2})/gi, '%25');
    return strays === part ? part.replaceAll('%', '%25') : decodable(strays);
  }
}

/**
 * The proxy for `protocol` and this host, whose name and password can be decoded; undefined for a direct connection. An
 * address that cannot be read, and a proxy of another kind, count as none.
 */
export function ownProxyFor(
  protocol: Protocol,
  host: string,
  port: number,
  environment: Environment = process.env,
): URL | undefined {
  const written = named(environment, protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  if (written === '' || isListed(host, port, named(environment, 'no_proxy'))) return undefined;
  const proxy = URL.parse(written.includes('://') ? written : `http://${written}`);
  if (proxy === null || !/^https?:$/.test(proxy.protocol)) return undefined;
  proxy.username = decodable(proxy.username);
  proxy.password = decodable(proxy.password);
  return proxy;
}
