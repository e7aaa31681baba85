/** A firewall that drops instead of refusing (nftables), in a namespace of its own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noNamespaces } from '../net/testing/lab.ts';
import { createLocalShell } from '../transfer/testing/local-shell.ts';
import { refuseHiddenMirrors } from './hidden-mirrors.ts';
import { createNodeShell, type NodeShell } from './node-shell.ts';
import { StepStatus } from './readiness.ts';

const namespace = `rldrop${process.pid}`;
const ip = (...words: string[]): string => execFileSync('ip', words, { encoding: 'utf8' });
let folder = '';

describe.skipIf(noNamespaces !== undefined)(`fault 47: mirrors (${noNamespaces ?? 'root'})`, () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ringlab-drop-'));
    ip('netns', 'add', namespace);
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    ip('-n', namespace, 'link', 'add', 'out', 'type', 'veth', 'peer', 'name', 'peer');
    ip('-n', namespace, 'link', 'set', 'peer', 'up');
    ip('-n', namespace, 'addr', 'add', '203.0.113.5/24', 'dev', 'out');
    ip('-n', namespace, 'link', 'set', 'out', 'up');
    const rules = `table inet firewall {
      chain out { type filter hook output priority 0; ip daddr 203.0.113.80-203.0.113.81 drop; }
    }`;
    execFileSync('ip', ['netns', 'exec', namespace, 'nft', '-f', '-'], { input: rules });
  });
  afterAll(() => {
    ip('netns', 'del', namespace);
    rmSync(folder, { recursive: true, force: true });
  });
  const shell = (): NodeShell => {
    const status = new StepStatus(
      'libraries',
      () => undefined,
      () => undefined,
    );
    const session = createLocalShell({ home: folder });
    return createNodeShell(session, status, new AbortController().signal, `ip netns exec ${namespace}`);
  };

  it('fault 47: that nobody answers for are named with their ports, before apt is started', async () => {
    writeFileSync(
      join(folder, 'sources.list'),
      'deb [signed-by=/k] http://203.0.113.80/debian bookworm main\ndeb https://203.0.113.81:8443/debian bookworm main\n',
    );
    await expect(refuseHiddenMirrors(shell(), 'apt-get update', folder)).rejects.toMatchObject({
      code: 'node_offline',
      params: {
        reason: expect.stringMatching(
          /^no answer within \d+ s from 203\.0\.113\.80 \(TCP port 80\), 203\.0\.113\.81 \(TCP port 8443\); a firewall/,
        ) as string,
      },
    });
  }, 60_000);

  it('fault 47: that refuse, or of which one answers, are left to apt', async () => {
    writeFileSync(
      join(folder, 'sources.list'),
      'deb http://203.0.113.80/debian bookworm main\ndeb http://127.0.0.1:9/debian bookworm main\n',
    );
    await expect(refuseHiddenMirrors(shell(), 'apt-get update', folder)).resolves.toBeUndefined();
  }, 60_000);
});
