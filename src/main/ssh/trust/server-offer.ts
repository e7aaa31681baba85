/** Parses the algorithms that a server offers, from its first key exchange packet. */
import type { Duplex } from 'node:stream';

export interface ServerOffer {
  readonly kex: readonly string[];
  readonly serverHostKey: readonly string[];
  readonly cipher: readonly string[];
  readonly hmac: readonly string[];
  readonly compress: readonly string[];
}

const maxBytes = 128 * 1024;
const kexInit = 20;

/** The lists of a KEXINIT packet at the start of `bytes`; undefined while it is incomplete (RFC 4253, 6 and 7.1). */
export function parseServerOffer(bytes: Buffer): ServerOffer | undefined {
  // Lines may precede the identification.
  const start = bytes.indexOf('SSH-2.0-') === 0 ? 0 : bytes.indexOf('\nSSH-2.0-') + 1;
  if (start === 0 && bytes.indexOf('SSH-2.0-') !== 0) return undefined;
  const end = bytes.indexOf('\n', start);
  if (end === -1 || bytes.length < end + 6) return undefined;
  const packet = bytes.subarray(end + 1);
  const length = packet.readUInt32BE(0);
  if (length > maxBytes || packet.length < 4 + length || packet[5] !== kexInit) return undefined;
  let at = 6 + 16;
  const list = (): string[] => {
    const size = packet.readUInt32BE(at);
    const names = packet.toString('latin1', at + 4, at + 4 + size);
    at += 4 + size;
    // They are shown in messages: invalid names (RFC 4250, 4.6.1) are dropped.
    return names.split(',').filter((name) => /^[\x21-\x7e]{1,64}$/.test(name));
  };
  const [kex, serverHostKey, cipher] = [list(), list(), list()];
  list();
  const hmac = list();
  list();
  return { kex, serverHostKey, cipher, hmac, compress: list() };
}

/** Reads a server's offer without logging in; undefined where it does not arrive in time. */
export function readServerOffer(socket: Duplex, timeoutMs: number): Promise<ServerOffer | undefined> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const done = (offer: ServerOffer | undefined): void => {
      clearTimeout(timer);
      resolve(offer);
      socket.destroy();
    };
    const timer = setTimeout(() => done(undefined), timeoutMs);
    socket.on('error', () => done(undefined));
    socket.on('close', () => done(undefined));
    socket.on('data', (data: Buffer) => {
      bytes = Buffer.concat([bytes, data]);
      let offer: ServerOffer | undefined;
      try {
        offer = parseServerOffer(bytes);
      } catch {
        done(undefined);
        return;
      }
      if (offer !== undefined || bytes.length > maxBytes) done(offer);
    });
    socket.write('SSH-2.0-ringlab\r\n');
  });
}
