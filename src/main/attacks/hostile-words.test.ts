/**
 * Finding: a node's facts are used in scripts. Facts with shell metacharacters in each field, and a home whose name
 * is a command: nothing of it runs, on that node or on its peers.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { planDriver } from '../provision/driver/driver-plan.ts';
import { parseFacts } from '../provision/node/facts.ts';
import { createAsker } from '../provision/testing/asker.ts';
import { createBench, labOf, type Bench } from '../provision/testing/bench.ts';
import { freePort } from '../ssh/testing/free-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'ringlab-words-'));
const canary = join(folder, 'ran');
const attacks = [
  `$(touch ${canary})`,
  `\`touch ${canary}\``,
  `; touch ${canary};`,
  `' ; touch ${canary} ; '`,
  `" ; touch ${canary} ; "`,
  `| touch ${canary}`,
  `& touch ${canary} &`,
  `> ${canary}`,
  `--version`,
];

const facts: readonly (readonly [string, string])[] = [
  ['os', 'Linux'],
  ['kernel', '6.1.0'],
  ['arch', 'x86_64'],
  ['hostname', 'node'],
  ['user', 'anna'],
  ['uid', '1000'],
  ['home', '/home/anna'],
  ['shell', '/bin/sh'],
  ['time', '1000'],
  ['cpus', '4'],
  ['id', 'debian'],
  ['version', '12'],
  ['pretty', 'Debian 12'],
  ['boot_id', 'abc'],
  ['driver', '535.1'],
  ['cuda', '12.2'],
  ['cmake', '3.25'],
  ['glibc', 'glibc 2.36'],
  ['sudo', 'passwordless'],
  ['gpu', '0, NVIDIA RTX, 1024, 0000:01:00.0, 535.1'],
  ['nvidia', 'yes'],
  ['nvidia_works', 'no'],
  ['nvidia_source', 'nvidia/535.1'],
  ['nvidia_package', 'nvidia-driver 535.1'],
  ['nvidia_repository', 'cuda-drivers 535.1'],
  ['dkms', 'nvidia/535.1: added'],
  ['libtorch_package', 'libtorch1.13 1.13.1'],
  ['libtorch_folder', '2.1.0 cxx11 /opt/libtorch'],
  ['address', 'eth0 10.0.0.2/24'],
  ['end', 'yes'],
];

let bench: Bench | undefined;
afterEach(() => {
  bench?.close();
  rmSync(canary, { force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every command that is made of these facts, in a real shell whose programs all do nothing. */
function runAll(commands: readonly string[]): void {
  const programs = join(folder, 'bin');
  mkdirSync(programs, { recursive: true });
  const script = commands.map((command) => `(\n${command}\n)\n`).join('');
  // A syntax error is an attack that came through, too: `-n` alone would not show what runs.
  execFileSync('/bin/sh', ['-c', `PATH=${programs}; cd /; ${script}true`], {
    stdio: 'ignore',
    timeout: 60_000,
  });
  expect(existsSync(canary), script).toBe(false);
}

describe('output of a hostile node', () => {
  it.each(facts.map(([key]) => key))('has no effect as the fact “%s”', (key) => {
    for (const attack of attacks)
      for (const at of ['alone', 'after'] as const) {
        const output = facts
          .map(
            ([name, value]) =>
              `${name}=${name === key ? `${at === 'after' ? value : ''}${attack}` : value}\n`,
          )
          .join('');
        try {
          const { facts: read } = parseFacts(output, { before: 1, after: 2 });
          for (const { address } of read.addresses) expect(address).toMatch(/^[\da-f.:]+$/);
          for (const word of [read.kernel, read.arch, read.bootId, read.system.id, read.system.version])
            expect(word).toMatch(/^[\w.+~:@%,=/ -]*$/);
          expect(read.libtorch ?? '').toMatch(/^[\w.+-]*$/);
          const plan = planDriver(read);
          if ('changes' in plan) runAll(plan.changes.map(({ command }) => command));
        } catch (error) {
          if (!(error instanceof RinglabError)) throw error;
          expect([
            'facts_unreadable',
            'node_unsupported',
            'home_missing',
            'node_nonsense',
            'driver_blocked',
          ]).toContain(error.code);
        }
      }
  });

  it('has no effect as the home folder, from the first probe to the removal', async () => {
    const asker = createAsker(() => ({ kind: 'accept' }));
    const homes: string[] = [];
    bench = createBench({
      trainer: 'stand-in',
      provisioner: { prompter: asker },
      shell: (_nodeId, home) => {
        const odd = join(home, `it's "$(touch pwned)" \`touch pwned\` ; touch pwned; & -n *`);
        mkdirSync(odd, { recursive: true });
        homes.push(odd);
        return { home: odd };
      },
    });
    const images = join(bench.folder, 'images');
    for (const part of ['train', 'val']) mkdirSync(join(images, part, 'cat'), { recursive: true });
    const data = { type: 'folder', path: images } as const;
    const lab = labOf(['anna'], { port: await freePort(), data });
    await bench.provisioner.plan(lab);
    await bench.provisioner.prepare(lab);
    const [home = ''] = homes;
    expect(readdirSync(home)).toEqual(['.ringlab']);
    await bench.provisioner.remove(lab, 'n0');
    expect(readdirSync(home)).toEqual([]);
    expect(execFileSync('find', [bench.folder, '-name', 'pwned'], { encoding: 'utf8' })).toBe('');
  });
});
