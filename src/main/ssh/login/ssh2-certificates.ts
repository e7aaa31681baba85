/**
 * Adds certificates to ssh2, which does not support them. The only file that uses ssh2's internals. ssh2 is pinned to
 * one version, and if these fields changed, logins would fail rather than succeed wrongly: ssh2 itself still verifies
 * the server's signature over the key exchange with the certificate's key.
 */
import type { Client, ParsedKey } from 'ssh2';
import {
  certificateSuffix,
  field,
  fieldReader,
  parseCertificate,
  type SshCertificate,
} from '../trust/certificate.ts';

type Sign = (data: Buffer, done: (signature: Buffer) => void) => void;
interface Offer {
  readonly lists: Readonly<Record<string, unknown>>;
}
interface Exchange {
  negotiated: { kex: string; serverHostKey: string };
  parse(payload: Buffer): unknown;
}
interface Protocol {
  _offer: Offer;
  _kex: (Exchange & { sessionID: Buffer }) | undefined;
  _kexinit: unknown;
  _queue: Buffer[] | undefined;
  _authsQueue: string[];
  _cipher: { encrypt(packet: Buffer): void };
  _packetRW: {
    write: { alloc(length: number): Buffer; readonly allocStart: number; finalize(packet: Buffer): Buffer };
  };
  authPK(user: string, key: ParsedKey, algorithm: string | undefined, sign?: Sign): void;
}

// ssh2 has it but does not type it.
const protocolOf = (client: Client): Protocol => (client as unknown as { _protocol: Protocol })._protocol;

const hostAlgorithms = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
].map((name) => `${name}${certificateSuffix}`);

/**
 * Asks the server for a host certificate first. Called between `connect` and the server's first bytes.
 * @param onCertificate called with the certificate just before ssh2's `hostVerifier` gets its key
 */
export function askForHostCertificate(
  client: Client,
  onCertificate: (certificate: SshCertificate) => void,
): void {
  const protocol = protocolOf(client);
  offerCertificates(protocol);
  let current: Protocol['_kex'];
  Object.defineProperty(protocol, '_kex', {
    get: () => current,
    // Each key exchange is a new object: patches later ones, too.
    set(exchange: Protocol['_kex']) {
      if (exchange?.negotiated.serverHostKey.endsWith(certificateSuffix) === true)
        teachExchange(exchange, onCertificate);
      current = exchange;
    },
  });
}

function offerCertificates(protocol: Protocol): void {
  const { lists } = protocol._offer;
  const arrayOf = (entry: unknown): string[] => (entry as { array: string[] }).array;
  const directionOf = (entry: unknown): Record<string, string[]> =>
    Object.fromEntries(
      Object.entries(entry as Record<string, unknown>).map(([name, value]) => [name, arrayOf(value)]),
    );
  const Make = protocol._offer.constructor as new (lists: object) => Offer;
  protocol._offer = new Make({
    kex: arrayOf(lists.kex),
    serverHostKey: [...hostAlgorithms, ...arrayOf(lists.serverHostKey)],
    cs: directionOf(lists.cs),
    sc: directionOf(lists.sc),
  });
}

/** Both are messages of the server; the method determines which of them contains its key. */
const replyNumber = (method: string): number => (method.includes('group-exchange') ? 33 : 31);

function teachExchange(exchange: Exchange, onCertificate: (certificate: SshCertificate) => void): void {
  const { negotiated } = exchange;
  negotiated.serverHostKey = negotiated.serverHostKey.slice(0, -certificateSuffix.length);
  const parse = exchange.parse.bind(exchange);
  exchange.parse = (payload) => {
    if (payload[0] !== replyNumber(negotiated.kex)) return parse(payload);
    let certificate: SshCertificate | undefined;
    let plain = payload;
    try {
      const reader = fieldReader(payload.subarray(1));
      certificate = parseCertificate(Buffer.from(reader.text()));
      if (certificate !== undefined)
        plain = Buffer.concat([
          payload.subarray(0, 1),
          field(certificate.key),
          field(reader.text()),
          field(reader.text()),
        ]);
    } catch {
      // Truncated: ssh2 reports it.
    }
    if (certificate === undefined) return parse(payload);
    coverCertificate(exchange, certificate.blob);
    onCertificate(certificate);
    return parse(plain);
  };
}

/** The exchange hash includes the certificate; the signature is by its key. */
function coverCertificate(exchange: Exchange, blob: Buffer): void {
  let key: Buffer | undefined;
  let signature: Buffer | undefined;
  let isHashed = false;
  Object.defineProperties(exchange, {
    _hostKey: {
      get: () => (isHashed || key === undefined ? key : blob),
      set: (value: Buffer | undefined) => {
        key = value;
      },
    },
    _sig: {
      // ssh2 reads it after computing the hash.
      get: () => {
        isHashed = true;
        return signature;
      },
      set: (value: Buffer | undefined) => {
        signature = value;
      },
    },
  });
}

const certificates = new WeakMap<ParsedKey, Buffer>();

/** The same key, offered together with its certificate. */
export function withCertificate(key: ParsedKey, certificate: SshCertificate): ParsedKey {
  const certified = Object.create(key, {
    getPublicSSH: { value: () => certificate.blob },
  }) as ParsedKey;
  certificates.set(certified, certificate.blob);
  return certified;
}

/** Converts OpenSSL's ASN.1 signature to the two numbers of RFC 5656. */
function plainSignature(keyType: string, signature: Buffer): Buffer {
  if (!keyType.startsWith('ecdsa-') || signature[0] !== 0x30) return signature;
  let at = (signature[1] ?? 0) > 0x80 ? 3 : 2;
  const number = (): Buffer => {
    const length = signature[at + 1] ?? 0;
    at += 2 + length;
    return signature.subarray(at - length, at);
  };
  return Buffer.concat([field(number()), field(number())]);
}

/**
 * Enables logins with keys of `withCertificate`.
 * @param allows whether a user's RSA key may sign with SHA-1; otherwise nothing is sent
 */
export function teachUserKeys(client: Client, allowsSha1: () => boolean): void {
  const protocol = protocolOf(client);
  const plain = protocol.authPK.bind(protocol);
  protocol.authPK = (user, key, algorithm, sign) => {
    const type = algorithm ?? key.type;
    if (type === 'ssh-rsa' && !allowsSha1()) return;
    const blob = certificates.get(key);
    if (blob === undefined) {
      plain(user, key, algorithm, sign);
      return;
    }
    const certified = `${type}${certificateSuffix}`;
    if (sign === undefined) {
      plain(user, key, certified);
      return;
    }
    const request = Buffer.concat([
      Buffer.from([50]),
      ...[user, 'ssh-connection', 'publickey'].map(field),
      Buffer.from([1]),
      field(certified),
      field(blob),
    ]);
    const session = protocol._kex?.sessionID ?? Buffer.alloc(0);
    sign(Buffer.concat([field(session), request]), (signature) => {
      const signed = Buffer.concat([field(type), field(plainSignature(key.type, signature))]);
      send(protocol, Buffer.concat([request, field(signed)]));
    });
  };
}

function send(protocol: Protocol, payload: Buffer): void {
  const { write } = protocol._packetRW;
  const start = write.allocStart;
  const packet = write.alloc(payload.length);
  packet.set(payload, start);
  protocol._authsQueue.push('publickey');
  const whole = write.finalize(packet);
  if (protocol._kexinit === undefined) protocol._cipher.encrypt(whole);
  else (protocol._queue ??= []).push(whole);
}
