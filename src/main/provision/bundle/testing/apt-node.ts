/** For tests: a node with this machine's apt, but the test's own sources and installed packages. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createLocalShell, programsOnly, type LocalShell } from '../../../ssh/testing/local-shell.ts';
import { systemClock } from '../../../base/clock.ts';
import { createNodeShell } from '../../node/node-shell.ts';
import { StepStatus } from '../../node/readiness.ts';
import { createRights, forgetfulMemory } from '../../node/rights.ts';
import type { StepContext } from '../../engine/step.ts';
import { readFacts } from '../../node/read-facts.ts';
import { createAsker } from '../../testing/asker.ts';
import { labOf } from '../../testing/bench.ts';
import { rootCopies } from '../../download/node-repository.ts';
import { machineOf } from '../../node/trainer-origin.ts';
import type { BundleStore } from '../contract.ts';
import { linesIn } from '../../../../shared/base/phrase.ts';

/** dpkg's status where one of them is already installed. */
export const installed = `Package: ringlab-tiny\nStatus: install ok installed\nVersion: 1:99.0+dfsg-1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: there already\n\n`;

/** Puts the folder $0 in front of the one that root's copies are in, for this command alone. */
const inFront = `mount --bind "$0" ${dirname(rootCopies)} && exec "$@"`;

/**
 * This machine's apt with other sources and installed packages; installation is only simulated.
 * @returns with `rootCopies`, where this machine sees root's copies of that node
 */
export async function aptNode(
  folder: string,
  name: string,
  options: { sources: string; status: string; bundle?: BundleStore },
): Promise<{ context: StepContext; shell: LocalShell; log: () => string; rootCopies: string }> {
  const home = join(folder, name);
  const caches = join(home, 'var-cache');
  // Lists and archives of its own: the machine's have a lock, which another test's apt may hold.
  for (const own of ['lists/partial', 'cache/archives/partial', 'var-cache'])
    mkdirSync(join(home, own), { recursive: true });
  writeFileSync(join(home, 'sources.list'), options.sources);
  writeFileSync(join(home, 'status'), options.status);
  writeFileSync(
    join(home, 'apt.conf'),
    `Dir::Etc::sourcelist "${home}/sources.list";\nDir::Etc::sourceparts "/dev/null";\nDir::State::status "${home}/status";\nDir::State::lists "${home}/lists";\nDir::Cache "${home}/cache";\n`,
  );
  const wrapper = (program: string): string => `#!/bin/sh
export APT_CONFIG=${home}/apt.conf
case "$* " in *--print-uris*|*' -s '*) ;; *' install '*) set -- "$@" -s; echo "simulated";; esac
exec /usr/bin/${program} "$@"
`;
  const bin = programsOnly(join(home, 'bin'), {
    'apt-get': wrapper('apt-get'),
    'apt-cache': wrapper('apt-cache'),
  });
  const shell = createLocalShell({
    home,
    path: `${bin}:${process.env.PATH ?? ''}`,
    // Other tests remove what Ringlab has left on this machine, or expect that there is nothing.
    through: process.getuid?.() === 0 ? ['unshare', '-m', 'sh', '-c', inFront, caches] : [],
  });
  const status = new StepStatus(
    'libraries',
    () => undefined,
    () => undefined,
  );
  const signal = new AbortController().signal;
  const nodeShell = createNodeShell(shell, status, signal);
  const { facts } = await readFacts(nodeShell, systemClock);
  const lab = labOf([name]);
  const [first] = lab.nodes;
  if (first === undefined) throw new Error('labOf made no node');
  const context: StepContext = {
    lab,
    node: first,
    machine: machineOf(shell),
    shell: nodeShell,
    rights: createRights({ prompter: createAsker(), memory: forgetfulMemory() }).of(shell),
    reboot: () => Promise.reject(new Error('not used here')),
    work: { facts: { ...facts, root: true } },
    status,
    signal,
    connect: () => Promise.resolve(shell),
    bundle: options.bundle,
    redo: false,
  };
  return {
    context,
    shell,
    log: () => linesIn(status.log.lines, 'en'),
    rootCopies: join(caches, basename(rootCopies)),
  };
}
