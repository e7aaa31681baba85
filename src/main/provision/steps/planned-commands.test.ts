/**
 * Tests that a dry run shows exactly what will be run: plans each step on a node, runs it, and compares the commands
 * of its session with the plan (testing/compare-with-plan.ts).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LabNode } from '../../../shared/lab/lab.ts';
import { createSecretMemory } from '../../ssh/index.ts';
import { hashFile } from '../../transfer/index.ts';
import { startFileServer } from '../../transfer/testing/file-server.ts';
import { createBucketKeys, keepsNothing } from '../data/bucket-keys.ts';
import { createKeyring } from '../bundle/signed-release.ts';
import { createBundleStore } from '../bundle/store.ts';
import { systemClock } from '../../base/clock.ts';
import { createCondaRuntime, createLockBook } from '../runtime/index.ts';
import { readSources, type TrainerSources } from '../trainer/sources.ts';
import type { Step } from '../engine/step.ts';
import { createDataStep } from '../data/data.ts';
import { createDataS3 } from '../data/data-s3.ts';
import { createDataUpload } from '../data/data-upload.ts';
import { createDriverStep } from '../driver/driver.ts';
import { createLibrariesStep } from '../runtime/libraries.ts';
import { createLockStep } from './lock.ts';
import { createTrainerStep } from '../trainer/trainer.ts';
import { verifyStep } from '../trainer/verify.ts';
import { createAsker } from '../testing/asker.ts';
import { compareWithPlan, type Compared, type CompareOptions } from '../testing/compare-with-plan.ts';
import { labOf, nativeSource, trainerBinary } from '../testing/bench.ts';
import { startChannel } from '../testing/small-channel.ts';
import { writeStandInMicromamba } from '../testing/stand-in-micromamba.ts';
import { writeStandInTrainer } from '../testing/stand-in-trainer.ts';
import { writeTinyTrainer } from '../testing/tiny-trainer.ts';
import { createTrainerShelf, type TrainerShelf } from '../trainer/trainer-shelf.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-planned-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const compare = (step: Step, options?: CompareOptions): Promise<Compared> =>
  compareWithPlan(folder, step, options);
const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

const debian = { id: 'debian', version: '12', pretty: 'Debian GNU/Linux 12 (bookworm)' };
const apt = {
  'apt-cache': `#!/bin/sh
case "$1" in
  pkgnames) printf 'libtorch2.6\\n';;
  show) exit 0;;
esac
`,
  'apt-get': '#!/bin/sh\necho "$*" >> "$HOME/apt.log"\n',
};
const noConda = createCondaIn('unused');
function createCondaIn(place: string) {
  return createCondaRuntime({
    bundle: createBundleStore(join(place, 'bundle'), { keyring: createKeyring([]), allows: () => true }),
    locks: createLockBook(join(place, 'locks')),
    micromamba: join(place, 'micromamba'),
    clock: systemClock,
  });
}
const dataStep = () =>
  createDataStep(
    createDataUpload(folder),
    createDataS3(createBucketKeys(createAsker(), createSecretMemory(keepsNothing))),
  );
const trainerStep = (sources: TrainerSources, shelf: TrainerShelf): Step =>
  createTrainerStep({ sources: () => Promise.resolve(sources), shelf });

function pets(): string {
  const place = join(folder, 'pets');
  for (const part of ['train', 'val'])
    for (const name of ['cat', '狗']) {
      mkdirSync(join(place, part, name), { recursive: true });
      writeFileSync(join(place, part, name, '1.jpg'), `${part} ${name}`);
    }
  return place;
}

describe('the commands of a dry run are those that run', () => {
  it.each(['root', 'passwordless'] as const)('distribution libraries, as %s', async (who) => {
    const root = who === 'root';
    const { commands, ran, failed } = await compare(createLibrariesStep(systemClock, noConda, noConda), {
      programs: { ...apt, sudo: '#!/bin/sh\nshift\nexec "$@"\n' },
      facts: { system: debian, root, sudo: root ? 'none' : 'passwordless' },
      work: { libtorch: undefined },
    });
    expect(failed).toBeUndefined();
    expect(ran).toEqual(commands);
    expect(commands).toHaveLength(1);
    expect(commands[0]).toContain('apt -q install -y --no-install-recommends $packages');
    expect(readFileSync(join(folder, 'home', 'apt.log'), 'utf8')).toMatch(/-q install -y/);
  });

  it('conda libraries: micromamba, its lists and the environment', async () => {
    const channel = await startChannel();
    try {
      const lab = labOf(['anna'], {
        runtime: { type: 'conda', environment: 'resnet', channels: [channel.url] },
      });
      writeStandInMicromamba(join(folder, 'home', '.local', 'bin', 'micromamba'));
      const conda = createCondaIn(join(folder, 'app'));
      const unlocked = await compare(
        createLibrariesStep(systemClock, createCondaIn(join(folder, 'none')), noConda),
        {
          lab,
        },
      );
      // Solver results are not predicted: micromamba exists already, and the rest is described in words.
      expect(unlocked.planned.changes.map(({ command }) => command)).toEqual(['']);
      rmSync(join(folder, 'home', '.ringlab'), { recursive: true });
      const locked = await compare(createLockStep(conda, []), { lab });
      expect(locked.failed).toBeUndefined();
      // The solver's second call depends on its first: words only.
      expect(locked.planned.changes.map(({ command }) => command !== '')).toEqual([true, false, true]);
      const [first, again, search] = locked.ran;
      expect([first, search]).toEqual(locked.commands);
      expect(again).toContain(' create --dry-run ');
      expect(again).toContain('cxx-compiler');
      expect(locked.ran).toHaveLength(3);
      rmSync(join(folder, 'home', '.ringlab'), { recursive: true, force: true });
      const { commands, ran, uploads, sent, failed } = await compare(
        createLibrariesStep(systemClock, conda, noConda),
        { lab },
      );
      expect(failed).toBeUndefined();
      expect(ran).toEqual(commands);
      expect(sent).toEqual(uploads);
      expect(commands).toHaveLength(2);
    } finally {
      await channel.close();
    }
  });

  it('a driver: upload, changes as root; a reboot as the command that needs consent', async () => {
    const step = createDriverStep(systemClock, folder);
    writeFileSync(
      join(folder, 'NVIDIA-Linux.run'),
      '#!/bin/sh\n# This archive of NVIDIA’s driver was made with makeself.\nexit 0\n',
    );
    const nvidia = {
      works: false,
      nouveau: false,
      secureBoot: false,
      headers: true,
      sources: [],
      dkms: [],
      packages: [],
    };
    const lab = labOf(['anna'], { backend: 'nccl' });
    const node: LabNode = { ...lab.nodes[0]!, kind: 'gpu', driverFile: '~/NVIDIA-Linux.run' };
    const { commands, ran, uploads, sent, failed } = await compare(step, {
      lab: { ...lab, nodes: [node] },
      programs: { ...apt, modprobe: '#!/bin/sh\nexit 0\n' },
      facts: { system: debian, root: true, nvidia, virtualisation: 'none' },
    });
    expect(failed).toBeUndefined();
    expect(commands).toHaveLength(3);
    expect(ran).toEqual(commands);
    expect(sent).toEqual(uploads);
    expect(uploads).toHaveLength(1);
  });

  it('a trainer that this computer has', async () => {
    const path = writeStandInTrainer(join(folder, 'stand-in'));
    const trainer = { path, sha256: await hashFile(path), origin: undefined };
    const step = trainerStep(await readSources(nativeSource), {
      plain: () => Promise.resolve(undefined),
      find: () => Promise.resolve(trainer),
      withheld: () => Promise.resolve([]),
      keep: () => Promise.reject(new Error('nothing is built')),
    });
    const { commands, ran, uploads, sent, failed } = await compare(step);
    expect(failed).toBeUndefined();
    expect(ran).toEqual(commands);
    expect(commands).toHaveLength(1);
    expect(sent).toEqual(uploads);
    expect(uploads).toHaveLength(1);
  });

  it('a trainer built on the node, from the first command to the last', async () => {
    const source = writeTinyTrainer(join(folder, 'native'), {
      others: writeStandInTrainer(join(folder, 'stand-in')),
    });
    const shelf = createTrainerShelf({ folder: join(folder, 'trainers'), prebuilt: undefined });
    const { planned, commands, ran, uploads, sent, failed } = await compare(
      trainerStep(await readSources(source), shelf),
    );
    expect(failed).toBeUndefined();
    // Its hash is not known before it is built: words only.
    const note = ran.at(-1) ?? '';
    expect(note).toMatch(/^echo \S+ > \S+\.built-by && echo [0-9a-f]{64} > \S+\.sha256$/);
    expect(planned.changes.at(-1)).toMatchObject({ command: '' });
    expect(ran.slice(0, -1)).toEqual(commands);
    expect(commands).toHaveLength(4);
    expect(commands[1]).toMatch(/cmake -S src -B out \$generator -DCMAKE_BUILD_TYPE=Release/);
    const [archive = ''] = uploads;
    // A built trainer is uploaded under its own name only where it is missing: here it exists.
    const trainer = sent.find((one) => one.endsWith('/ringlab-train')) ?? '';
    expect(sent).toEqual([archive, trainer]);
    expect(commands[3]).toContain(trainer);
  });

  it('if the libtorch of the previous step is unknown, no command is invented', async () => {
    const none: TrainerShelf = {
      plain: () => Promise.resolve(undefined),
      find: () => Promise.resolve(undefined),
      withheld: () => Promise.resolve([]),
      keep: () => Promise.reject(new Error('nothing is built')),
    };
    const { planned } = await compare(
      {
        ...trainerStep(await readSources(nativeSource), none),
        apply: () => Promise.reject(new Error('planned only')),
      },
      { work: { libtorch: undefined } },
    );
    expect(planned.changes.map(({ command }) => command)).toEqual(['']);
  });

  it('the trainer’s verification', async () => {
    const trainer = writeStandInTrainer(join(folder, 'stand-in'));
    writeFileSync(`${trainer}.sha256`, await hashFile(trainer));
    const { planned, commands, ran, failed } = await compare(verifyStep, { work: { trainer } });
    expect(failed).toBeUndefined();
    expect(ran.slice(0, -1)).toEqual(commands);
    expect(ran.at(-1)).toMatch(/^printf .*\.verified$/);
    expect(planned.changes.at(-1)?.command).toBe('');
  });

  it('shapes, generated by the trainer', async () => {
    const { commands, ran, failed, work } = await compare(dataStep(), { work: { trainer: trainerBinary } });
    expect(failed).toBeUndefined();
    expect(ran).toEqual(commands);
    expect(commands).toEqual([expect.stringMatching(/ make-shapes .* --train 20 --val 10 --size 16/)]);
    expect(work.data).toMatch(/shapes-16-20-10-3$/);
  });

  it('a folder of this computer', async () => {
    const data = { type: 'upload', path: pets() } as const;
    const { commands, ran, uploads, failed, work } = await compare(dataStep(), {
      lab: labOf(['anna'], { data }),
    });
    expect(failed).toBeUndefined();
    expect(commands).toEqual([]);
    expect(uploads).toEqual([work.data]);
    // Batches, hashes and the last rename all concern the planned folder, and its temporary folder.
    const [target = ''] = uploads;
    const incoming = `/.incoming-${basename(target)}-`;
    expect(ran.filter((script) => !script.includes(target) && !script.includes(incoming))).toEqual([]);
    expect(ran.length).toBeGreaterThan(0);
  });

  it('an archive from the first of two addresses that has it', async () => {
    const web = join(folder, 'web');
    cpSync(pets(), join(web, 'pets'), { recursive: true });
    execFileSync('tar', ['-cf', join(web, 'pets.tar'), '-C', web, 'pets']);
    const server = await startFileServer(web);
    try {
      const sha256 = hashOf(join(web, 'pets.tar'));
      const url = `${server.url}/pets.tar`;
      const one = await compare(dataStep(), {
        lab: labOf(['anna'], { data: { type: 'url', urls: [url], sha256 } }),
      });
      expect(one.failed).toBeUndefined();
      expect(one.ran).toEqual(one.commands);
      expect(one.commands).toHaveLength(2);
      rmSync(join(folder, 'home'), { recursive: true });
      const urls = [`${server.url}/gone.tar`, url];
      const two = await compare(dataStep(), {
        lab: labOf(['anna'], { data: { type: 'url', urls, sha256 } }),
      });
      expect(two.failed).toBeUndefined();
      expect(two.planned.changes[0]).toMatchObject({ command: '' });
      expect(two.ran).toEqual(two.commands.slice(2));
    } finally {
      await server.close();
    }
  });
});
