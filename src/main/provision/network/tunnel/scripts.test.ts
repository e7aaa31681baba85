/** Tests the scripts of a tunnel with a stand-in for `wg` that keeps an interface's peers in files. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseHeard } from './plan.ts';
import { handshakeScript, removeTunnels, renewScript, tunnelInUse } from './scripts.ts';

/** A file a peer: endpoint, time of the newest handshake, seconds between keepalives. Peers with `answers` at an endpoint shake hands as soon as a keepalive is sent. */
const wg = `#!/bin/sh
cd "$PEERS"
case "$1 $3" in
  'show latest-handshakes') for peer in [A-Z]*; do printf '%s\\t%s\\n' "$peer" "$(sed -n 2p "$peer")"; done;;
  'show endpoints') for peer in [A-Z]*; do printf '%s\\t%s\\n' "$peer" "$(sed -n 1p "$peer")"; done;;
  'show transfer') ;;
  'set peer')
    peer=$4
    shift 4
    if [ "$*" = remove ]; then rm -f "$peer"; exit; fi
    [ -e "$peer" ] || printf '(none)\\n0\\n0\\n' >"$peer"
    while [ $# -gt 0 ]; do
      if [ "$1" = endpoint ]; then sed -i "1s/.*/$2/" "$peer"; fi
      if [ "$1" = persistent-keepalive ]; then sed -i "3s/.*/$2/" "$peer"; [ "$2" = 0 ] || sends=yes; fi
      shift 2
    done
    [ "$sends" ] && grep -qxF "$peer $(sed -n 1p "$peer")" ../answers && sed -i '2s/.*/1800000000/' "$peer"
    :;;
esac
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-wg-'));
  mkdirSync(join(folder, 'peers'));
  writeFileSync(join(folder, 'wg'), wg);
  chmodSync(join(folder, 'wg'), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const candidate = '10.0.0.9';
const asked = ['Anna', 'Berta'].map((publicKey, index) => ({
  publicKey,
  address: `172.20.1.${index + 2}`,
  endpoint: candidate,
  port: 51_820,
}));

/** @param answers peers, and the endpoints at which they are; returns who has answered now, and each peer's endpoint */
function greet(
  answers: readonly string[],
  keep: boolean,
): { sessions: string[]; endpoints: Record<string, string | undefined> } {
  writeFileSync(join(folder, 'answers'), answers.map((line) => `${line}\n`).join(''));
  const peers = join(folder, 'peers');
  const stdout = execFileSync(
    'sh',
    ['-c', `${renewScript('rlwg0', asked, keep)}\n${handshakeScript('rlwg0', asked, 1)}`],
    {
      encoding: 'utf8',
      env: { PATH: `${folder}:${process.env.PATH ?? ''}`, PEERS: peers },
    },
  );
  const endpoints = readdirSync(peers).map((name) => [
    name,
    readFileSync(join(peers, name), 'utf8').split('\n')[0],
  ]);
  return {
    sessions: [...parseHeard(stdout).sessions].sort(),
    endpoints: Object.fromEntries(endpoints) as Record<string, string | undefined>,
  };
}
/** What an earlier preparation left: handshakes, at the addresses that worked then. */
const earlier = (endpoint: string): void => {
  for (const { publicKey } of asked)
    writeFileSync(join(folder, 'peers', publicKey), `${endpoint}\n1700000000\n`);
};

it('a peer that is added again sends nothing before handshakes begin: the other may be about to remove its end', () => {
  earlier(`${candidate}:51820`);
  writeFileSync(join(folder, 'answers'), `Anna ${candidate}:51820\n`);
  const env = { PATH: `${folder}:${process.env.PATH ?? ''}`, PEERS: join(folder, 'peers') };
  const renewed = execFileSync(
    'sh',
    ['-c', `${renewScript('rlwg0', asked, true)}\nwg show rlwg0 latest-handshakes`],
    { env },
  );
  expect(renewed.toString()).toBe('Anna\t0\nBerta\t0\n');
  expect(greet([`Anna ${candidate}:51820`], true).sessions).toEqual(['Anna']);
});

it('each end goes on sending keepalives: a stateful firewall forgets a pair that is idle, and lets in nothing then', () => {
  greet([`Anna ${candidate}:51820`], true);
  const kept = asked.map(({ publicKey }) =>
    readFileSync(join(folder, 'peers', publicKey), 'utf8')
      .trim()
      .split('\n')
      .at(-1),
  );
  expect(kept).toEqual(['25', '25']);
});

it('an earlier handshake proves nothing: a port that was closed since then is noticed', () => {
  earlier(`${candidate}:51820`);
  expect(greet([], true).sessions).toEqual([]);
  expect(greet([`Berta ${candidate}:51820`], false).sessions).toEqual(['Berta']);
});

it('a peer with a handshake is first tried where it was, any other at the candidate; then all at the candidate', () => {
  earlier('198.51.100.7:40000');
  writeFileSync(join(folder, 'peers', 'Berta'), '(none)\n0\n');
  const where = ['Anna 198.51.100.7:40000', `Berta ${candidate}:51820`];
  expect(greet(where, true)).toEqual({
    sessions: ['Anna', 'Berta'],
    endpoints: { Anna: '198.51.100.7:40000', Berta: `${candidate}:51820` },
  });
  expect(greet([], false).endpoints).toEqual({
    Anna: `${candidate}:51820`,
    Berta: `${candidate}:51820`,
  });
});

it.runIf(process.platform === 'linux')(
  'a tunnel is in use while a process has it as its interface, whatever the process is called',
  async () => {
    // There are no interfaces, and nothing of this machine is removed.
    for (const program of ['ip', 'rm', 'rmdir']) {
      writeFileSync(join(folder, program), '#!/bin/sh\n');
      chmodSync(join(folder, program), 0o755);
    }
    const name = `rlwg${process.pid.toString(16).padStart(10, '0')}`;
    const env = { PATH: `${folder}:${process.env.PATH ?? ''}` };
    const remove = (): number | null =>
      spawnSync('sh', ['-c', removeTunnels([name])], {
        // As sudo does.
        env: { ...env, SUDO_COMMAND: removeTunnels([name]) },
      }).status;
    for (const variable of ['GLOO_SOCKET_IFNAME=', 'NCCL_SOCKET_IFNAME==']) {
      const [key = '', ...rest] = `${variable}${name}`.split('=');
      const script = spawn('sleep', ['600'], { env: { ...env, [key]: rest.join('=') } });
      try {
        expect(remove()).toBe(tunnelInUse);
      } finally {
        script.kill('SIGKILL');
        await new Promise((resolve) => script.once('exit', resolve));
      }
    }
    expect(remove()).toBe(0);
  },
);
