/** Mirrors with logins and signatures in their addresses: they are used whole, and shown without them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { linesIn } from '../../../shared/base/phrase.ts';
import { serve } from '../../transfer/testing/git-server.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { createNodeShell } from '../node/node-shell.ts';
import { StepStatus } from '../node/readiness.ts';
import { measureMirrors, mirrorsFailed } from './mirrors.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringlab-mirrors-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('log, labels and errors show no login, token or signature', async () => {
  const asked: string[] = [];
  await using server = await serve((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(request.url?.startsWith('/whole') === true ? 200 : 403).end('x'.repeat(100));
  });
  const secret = server.url.replace('//', '//user:PASSWORD@');
  const addresses = [
    `${secret}/whole.tar?X-Amz-Signature=SIGNATURE`,
    `${secret}/absent.tar?X-Amz-Signature=SIGNATURE`,
    'http://user:PASSWORD@127.0.0.1:9/silent.tar?token=SIGNATURE',
  ];
  const nothing = (): void => undefined;
  const status = new StepStatus('libraries', nothing, nothing);
  const shell = createNodeShell(createLocalShell({ home }), status, new AbortController().signal);
  const measured = await measureMirrors(
    shell,
    addresses,
    (address) => address,
    (line) => status.log.add(line),
  );
  expect(asked).toContain('/whole.tar?X-Amz-Signature=SIGNATURE');
  expect(measured.mirrors).toMatchObject([{ address: addresses[0] }]);
  const log = linesIn(status.snapshot().log, 'en');
  expect(log).toContain(`${server.url}/whole.tar`);
  const { params } = mirrorsFailed({}, addresses, measured);
  expect(params).toMatchObject({ mirrors: expect.stringContaining(`${server.url}/absent.tar`) as string });
  for (const text of [log, JSON.stringify(params)]) expect(text).not.toMatch(/PASSWORD|SIGNATURE/);
});
