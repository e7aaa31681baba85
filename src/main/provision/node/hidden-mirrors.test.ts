/** Tests a firewall that drops packets (nftables), in a separate namespace. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noNamespaces } from '../../net/testing/lab.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { refuseHiddenMirrors, withoutHidden } from './hidden-mirrors.ts';
import { measureMirrors } from '../download/mirrors.ts';
import { createNodeShell, type NodeShell } from './node-shell.ts';
import { StepStatus } from './readiness.ts';
import { linesIn, type Line } from '../../../shared/base/phrase.ts';

const namespace = `rldrop${process.pid}`;
const ip = (...words: string[]): string => execFileSync('ip', words, { encoding: 'utf8' });
let folder = '';
/** Dropped packets stay dropped however long one waits; what answers is on this computer. */
const waitSeconds = 2;

describe.skipIf(noNamespaces !== undefined)(`fault 47: mirrors (${noNamespaces ?? 'root'})`, () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ringlab-drop-'));
    ip('netns', 'add', namespace);
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    ip('-n', namespace, 'link', 'add', 'out', 'type', 'veth', 'peer', 'name', 'peer');
    ip('-n', namespace, 'link', 'set', 'peer', 'up');
    ip('-n', namespace, 'addr', 'add', '203.0.113.5/24', 'dev', 'out');
    ip('-n', namespace, 'link', 'set', 'out', 'up');
    ip('-n', namespace, 'addr', 'add', '2001:db8::5/64', 'dev', 'out', 'nodad');
    const names = ['half', 'none'].map((name) => `2001:db8::80 ${name}.test\n`).join('');
    writeFileSync(join(folder, 'hosts'), `${names}127.0.0.1 half.test\n203.0.113.80 none.test\n`);
    const rules = `table inet firewall {
      chain out { type filter hook output priority 0; ip daddr 203.0.113.80-203.0.113.81 drop; ip6 daddr 2001:db8::80 drop; }
    }`;
    execFileSync('ip', ['netns', 'exec', namespace, 'nft', '-f', '-'], { input: rules });
  });
  afterAll(() => {
    ip('netns', 'del', namespace);
    rmSync(folder, { recursive: true, force: true });
  });
  const shell = (through = `ip netns exec ${namespace}`): NodeShell => {
    const status = new StepStatus(
      'libraries',
      () => undefined,
      () => undefined,
    );
    const session = createLocalShell({ home: folder });
    return createNodeShell(session, status, new AbortController().signal, through);
  };

  /** A folder of apt's with these. */
  const sources = (text: string): string => {
    const own = mkdtempSync(join(folder, 'apt-'));
    writeFileSync(join(own, 'sources.list'), text);
    return own;
  };

  it.concurrent(
    'fault 47: that do not answer are reported with their ports, before apt is started',
    async () => {
      const own = sources(
        'deb [signed-by=/k] http://203.0.113.80/debian bookworm main\ndeb https://203.0.113.81:8443/debian bookworm main\n',
      );
      await expect(
        refuseHiddenMirrors(shell(), 'apt-get update', { folder: own, waitSeconds }),
      ).rejects.toMatchObject({
        code: 'node_offline',
        params: {
          reason: expect.stringMatching(
            /^no answer within \d+ s from 203\.0\.113\.80 \(TCP port 80\), 203\.0\.113\.81 \(TCP port 8443\); a firewall/,
          ) as string,
        },
      });
    },
  );

  it.concurrent('fault 47: that refuse connections, or with one that answers, are left to apt', async () => {
    const own = sources(
      'deb http://203.0.113.80/debian bookworm main\ndeb http://127.0.0.1:9/debian bookworm main\n',
    );
    await expect(
      refuseHiddenMirrors(shell(), 'apt-get update', { folder: own, waitSeconds }),
    ).resolves.toBeUndefined();
  });

  it.concurrent(
    'fault 47: an unreachable repository of NVIDIA is reported, although the distribution’s mirror answers',
    async () => {
      const own = sources(
        'deb https://203.0.113.81/compute/cuda/repos/debian12/x86_64/ /\ndeb http://127.0.0.1:9/debian bookworm main\n',
      );
      await expect(
        refuseHiddenMirrors(shell(), 'apt-get install cuda-drivers', {
          folder: own,
          needed: '203.0.113',
          waitSeconds,
        }),
      ).rejects.toMatchObject({
        code: 'node_offline',
        params: { reason: expect.stringContaining('203.0.113.81 (TCP port 443)') as string },
      });
    },
  );

  it.concurrent(
    'fault 47: of file addresses are left out and reported; if all are unreachable, none is tried',
    async () => {
      const log: Line[] = [];
      const add = (line: Line): void => void log.push(line);
      const hidden = ['http://203.0.113.80/conda-forge', 'https://203.0.113.81:8443/main'];
      const [some, none] = await Promise.allSettled([
        withoutHidden(
          shell(),
          [hidden[0] ?? '', 'http://127.0.0.1:9/main', 'file:///srv/channel'],
          add,
          waitSeconds,
        ),
        measureMirrors(shell(), hidden, (address) => `${address}/linux-64/repodata.json`, add, waitSeconds),
      ]);
      expect(some).toMatchObject({ value: ['http://127.0.0.1:9/main', 'file:///srv/channel'] });
      expect(none).toMatchObject({
        reason: {
          code: 'node_offline',
          params: { reason: expect.stringContaining('203.0.113.81 (TCP port 8443)') as string },
        },
      });
      expect(linesIn(log, 'en')).toMatch(
        /conda-forge: no answer within \d+ s from 203\.0\.113\.80 \(TCP port 80\)/,
      );
    },
  );

  it.concurrent(
    'an address whose IPv6 alone is dropped is not hidden: curl, uv and apt take IPv4',
    async () => {
      const through = `ip netns exec ${namespace} unshare --mount sh -c 'mount --bind ${folder}/hosts /etc/hosts; exec "$@"' sh`;
      const log: Line[] = [];
      const addresses = ['http://half.test:9', 'http://none.test:9'];
      const open = await withoutHidden(shell(through), addresses, (line) => log.push(line), waitSeconds);
      expect(open).toEqual(['http://half.test:9']);
      expect(linesIn(log, 'en')).toContain('none.test (TCP port 9)');
    },
  );
});
