import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { forEachCase, fuzzTimeout, mutateText, type Random } from '../../../shared/testing/fuzz.ts';
import { parseServerOffer } from '../trust/server-offer.ts';
import { certificateProblem, field, isSignedByAuthority, parseCertificate } from '../trust/certificate.ts';
import { mayName, matchesHost, parseKnownHosts } from '../trust/known-hosts.ts';
import { keyPair } from '../testing/sshd.ts';

let folder: string;
const certificates: Buffer[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-cert-fuzz-'));
  const keygen = (...words: string[]): void => {
    execFileSync('ssh-keygen', ['-q', ...words], { stdio: 'ignore' });
  };
  for (const kind of ['ed25519', 'ecdsa', 'rsa']) {
    const path = join(folder, kind);
    keygen('-N', '', '-t', kind, '-f', path);
    keygen('-s', path, '-I', 'id', '-h', '-n', 'a.lab,b.lab', `${path}.pub`);
    const base64 = readFileSync(`${path}-cert.pub`, 'utf8').split(' ')[1] ?? '';
    certificates.push(Buffer.from(base64, 'base64'));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Changes, removes and duplicates bytes, and falsifies lengths. */
function mutateBytes(bytes: Buffer, random: Random): Buffer {
  let mutated = Buffer.from(bytes);
  for (let change = 0; change < 1 + random.below(4); change += 1) {
    const at = random.below(mutated.length);
    const length = random.below(32);
    const kind = random.below(5);
    if (kind === 0) mutated[at] = random.below(256);
    else if (kind === 1) mutated = mutated.subarray(0, at);
    else if (kind === 2) mutated = Buffer.concat([mutated.subarray(0, at), mutated.subarray(at + length)]);
    else if (kind === 3) mutated = Buffer.concat([mutated.subarray(0, at + length), mutated.subarray(at)]);
    else if (mutated.length >= 4)
      mutated.writeUInt32BE(
        random.pick([0, 1, 0x7fffffff, 0xffffffff, 65536]),
        Math.min(at, mutated.length - 4),
      );
  }
  return mutated;
}

describe('bytes of a server that is not yet trusted', () => {
  it(
    'a certificate changed anywhere is invalid, or not signed by its authority',
    { timeout: fuzzTimeout() },
    async () => {
      await forEachCase('certificate', (random) => {
        const whole = random.pick(certificates);
        const mutated = mutateBytes(whole, random);
        const read = parseCertificate(mutated);
        if (read === undefined) return;
        certificateProblem(read, { isHost: true, now: 1e9, isNamed: (name) => matchesHost(name, 'a.lab') });
        const isAsBefore = whole.subarray(0, read.signed.length).equals(read.signed);
        if (!isAsBefore) expect(isSignedByAuthority(read)).toBe(false);
      });
    },
  );

  it('lists of algorithms are parsed as names, or refused', { timeout: fuzzTimeout() }, async () => {
    const lists = [
      'curve25519-sha256',
      'ssh-ed25519',
      'aes128-ctr',
      'aes128-ctr',
      'hmac-sha1',
      'hmac-sha1',
      'none',
      'none',
      '',
      '',
    ];
    const payload = Buffer.concat([
      Buffer.from([20]),
      Buffer.alloc(16),
      ...lists.map(field),
      Buffer.alloc(5),
    ]);
    const packet = Buffer.concat([Buffer.from([0, 0, 0, 0, 4]), payload, Buffer.alloc(4)]);
    packet.writeUInt32BE(packet.length - 4);
    await forEachCase('server-offer', (random) => {
      const bytes = Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), mutateBytes(packet, random)]);
      try {
        const offer = parseServerOffer(bytes);
        for (const name of Object.values(offer ?? {}).flat()) expect(name).toMatch(/^[\x21-\x7e]{1,64}$/);
      } catch (error) {
        // The caller treats it as no offer.
        expect(error).toBeInstanceOf(RangeError);
      }
    });
  });
});

it(
  'a known_hosts damaged anywhere is read line by line, or refused as a whole',
  { timeout: fuzzTimeout() },
  async () => {
    const one = keyPair().public;
    const text = `# mine\na.lab,10.0.0.1 ${one}\n|1|MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=|MTIzNDU2Nzg5MDEyMzQ1Njc4OTA= ${one}\n@cert-authority *.lab ${one}\n@revoked * ${one}\n`;
    const words = ['@revoked', '@cert-authority', '|1|', '*', '!', 'ssh-ed25519', ','];
    await forEachCase('known-hosts', (random) => {
      try {
        const { lines, damaged } = parseKnownHosts(
          'known_hosts',
          Buffer.from(mutateText(text, random, words)),
        );
        for (const line of lines) matchesHost(line.hosts, 'a.lab');
        for (const line of damaged) mayName(line, 'a.lab');
      } catch (error) {
        expect(error).toBeInstanceOf(RinglabError);
      }
    });
  },
);
