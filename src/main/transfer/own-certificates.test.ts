/** Downloads through what signs anew, as a company's proxy does: with a certificate of this computer's store, and without. */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
let folder = '';
let url = '';
let close = (): void => undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-certificates-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '30',
      ],
      ...[
        '-subj',
        '/CN=A company',
        '-addext',
        'subjectAltName=IP:127.0.0.1',
        '-keyout',
        key,
        '-out',
        certificate,
      ],
    ],
    { stdio: 'pipe' },
  );
  const pair = { key: readFileSync(key), cert: readFileSync(certificate) };
  const server = createServer(pair, (_request, response) => response.end('whole'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on TCP, it has an address with a port.
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  close = () => {
    server.closeAllConnections();
    server.close();
  };
});
afterAll(() => {
  close();
  rmSync(folder, { recursive: true, force: true });
});

/** In a process of its own: Node reads the store once. Resolves with what has arrived, or the error's words. */
async function downloaded(store: string): Promise<string> {
  const program = `
    const { downloadFile } = await import(${JSON.stringify(join(import.meta.dirname, 'download.ts'))});
    const options = { max: 100, allows: () => true };
    const to = ${JSON.stringify(join(folder, 'file'))};
    await downloadFile(${JSON.stringify(url)}, to, options, new AbortController().signal).then(
      async () => console.log((await import('node:fs')).readFileSync(to, 'utf8')),
      (error) => console.log(JSON.stringify(error.params)),
    );`;
  const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...environment, SSL_CERT_FILE: store, SSL_CERT_DIR: join(folder, 'none'), NODE_NO_WARNINGS: '1' },
  });
  return stdout.trim();
}

it.skipIf(process.platform !== 'linux')('trust this computer’s own store', async () => {
  expect(await downloaded(join(folder, 'certificate.pem'))).toBe('whole');
});

it('say what to do where the certificate is in no store', async () => {
  expect(await downloaded(join(folder, 'none.pem'))).toContain('NODE_EXTRA_CA_CERTS');
});
