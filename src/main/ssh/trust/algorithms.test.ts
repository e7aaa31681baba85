import { describe, expect, it } from 'vitest';
import { parseServerOffer } from './server-offer.ts';
import { offerFor } from './algorithms.ts';

const packet = (lists: string[]): Buffer => {
  const names = lists.map((list) => {
    const bytes = Buffer.alloc(4 + list.length);
    bytes.writeUInt32BE(list.length);
    bytes.write(list, 4, 'latin1');
    return bytes;
  });
  const payload = Buffer.concat([Buffer.from([20]), Buffer.alloc(16, 7), ...names, Buffer.alloc(5)]);
  const padding = 8;
  const head = Buffer.alloc(5);
  head.writeUInt32BE(1 + payload.length + padding);
  head[4] = padding;
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
};
const lists = ['kex-a,kex-b', 'key-a', 'cipher-cs', 'cipher-sc', 'mac-cs', 'mac-sc', 'none', 'none', '', ''];

describe('the server’s algorithms', () => {
  it('are parsed once complete, also after a banner', () => {
    const bytes = Buffer.concat([Buffer.from('Welcome\r\nSSH-2.0-Test_1.0\r\n'), packet(lists)]);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(parseServerOffer(bytes.subarray(0, length))).toBeUndefined();
    }
    expect(parseServerOffer(bytes)).toEqual({
      kex: ['kex-a', 'kex-b'],
      serverHostKey: ['key-a'],
      cipher: ['cipher-cs'],
      hmac: ['mac-cs'],
      compress: ['none'],
    });
  });

  it('are undefined for other bytes', () => {
    expect(parseServerOffer(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n<html></html>'))).toBeUndefined();
    expect(parseServerOffer(Buffer.from(`SSH-2.0-x\r\n${'\xff'.repeat(40)}`, 'latin1'))).toBeUndefined();
  });
});

describe('the offered host key algorithms', () => {
  it('start with the known key type, and keep the others', () => {
    const byDefault = offerFor([]).serverHostKey;
    expect(byDefault[0]).toBe('ssh-ed25519');
    const rsa = offerFor(['ssh-rsa']).serverHostKey;
    expect(rsa.slice(0, 2)).toEqual(['rsa-sha2-512', 'rsa-sha2-256']);
    expect([...rsa].sort()).toEqual([...byDefault].sort());
    expect(offerFor(['ecdsa-sha2-nistp384', 'sk-ssh-ed25519@openssh.com']).serverHostKey[0]).toBe(
      'ecdsa-sha2-nistp384',
    );
  });
});
