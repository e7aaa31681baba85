/**
 * Fault 47: apt gives up on a mirror that accepts its connection and sends nothing. With the real apt, in separate
 * folders.
 */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aptTimeouts, awaitLists } from './apt-call.ts';

it.skipIf(!existsSync('/usr/bin/apt-get'))(
  'fault 47: apt’s own time-out ends the wait for a mirror that does not answer',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringlab-apt-'));
    const open: Socket[] = [];
    const server = createServer((socket) => {
      open.push(socket.on('error', () => undefined));
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // of a TCP server that listens
      for (const name of ['lists/partial', 'cache/archives/partial', 'state'])
        mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, 'sources.list'), `deb http://127.0.0.1:${port}/debian bookworm main\n`);
      writeFileSync(join(folder, 'state', 'status'), '');
      expect(aptTimeouts).toContain('Acquire::https::Timeout=20');
      const options = [
        // The same options with one second in place of twenty.
        ...aptTimeouts.replaceAll('=20', '=1').split(' '),
        ...[
          `Dir::Etc::sourcelist=${folder}/sources.list`,
          'Dir::Etc::sourceparts=/dev/null',
          `Dir::State=${folder}/state`,
          `Dir::State::status=${folder}/state/status`,
          `Dir::State::lists=${folder}/lists`,
          `Dir::Cache=${folder}/cache`,
          'APT::Sandbox::User=root',
          'Acquire::http::Proxy=DIRECT',
          'APT::Update::Error-Mode=any',
          // The pauses between retries are not tested here.
          'Acquire::Retries::Delay=false',
        ].flatMap((option) => ['-o', option]),
      ];
      const said = await new Promise<string>((resolve) => {
        execFile(
          'apt-get',
          ['update', ...options],
          { timeout: 60_000, env: { PATH: process.env.PATH, LC_ALL: 'C' } },
          (error, out, err) => resolve(`${error?.killed === true ? 'killed' : 'ended'} ${out}${err}`),
        );
      });
      expect(said).toMatch(/^ended [^]*(timed out|connection failed)/i);
      // Each attempt was a connection: exactly one retry.
      expect(open.length).toBeLessThanOrEqual(4);
    } finally {
      for (const socket of open) socket.destroy();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  90_000,
);

it('an update of the lists waits for another, for whose lock apt has no time-out', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-apt-'));
  try {
    const lock = join(folder, 'lock');
    // As apt takes it.
    const holder = `import fcntl, sys, time
file = open(sys.argv[1], "w")
fcntl.lockf(file, fcntl.LOCK_EX)
open(sys.argv[1] + ".taken", "w")
time.sleep(1)
open(sys.argv[1] + ".left", "w")`;
    const wait = awaitLists.replace('/var/lib/apt/lists/lock', lock).replace('sleep 5', 'sleep 0.1');
    expect(wait).toContain(`${lock} `);
    const script = `python3 -c '${holder}' ${lock} & while [ ! -e ${lock}.taken ]; do sleep 0.1; done
${wait}
ls ${folder}; wait`;
    const said = execFileSync('sh', ['-c', script], { encoding: 'utf8', stdio: 'pipe' });
    expect(said).toContain('lock.left');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
