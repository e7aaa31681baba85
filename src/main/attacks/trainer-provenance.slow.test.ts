/**
 * Attack: a hostile node claims to have built a trainer, but its `cmake` creates a script. The script may run on that
 * node, but never on another node or on this computer.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LabDocument, LabNode } from '../../shared/lab/lab.ts';
import { createBundleStore } from '../provision/bundle/store.ts';
import { createBench, labOf, type Bench } from '../provision/testing/bench.ts';
import { freePort } from '../ssh/testing/free-port.ts';
import { writeStandInTrainer } from '../provision/testing/stand-in-trainer.ts';
import { writeTinyTrainer } from '../provision/testing/tiny-trainer.ts';
import { machineOf, mayRun, runnerOf, type TrainerOrigin } from '../provision/node/trainer-origin.ts';
import { programsOnly } from '../ssh/testing/local-shell.ts';
import { linesIn } from '../../shared/base/phrase.ts';

let folder = '';
let benches: Bench[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-provenance-'));
  for (const part of ['train', 'val']) mkdirSync(join(folder, 'images', part, 'cat'), { recursive: true });
});
afterEach(() => {
  for (const bench of benches) bench.close();
  benches = [];
  rmSync(folder, { recursive: true, force: true });
});

/** Where the hostile script says that it ran: the home folder of whoever started it. */
const witnesses = (): string[] => {
  const file = join(folder, 'ran');
  return existsSync(file) ? [...new Set(readFileSync(file, 'utf8').trim().split('\n'))] : [];
};

/** `cmake --build` makes a script that says it is our trainer and behaves as one. */
function hostileTools(): string {
  const others = writeStandInTrainer(join(folder, 'behaves'));
  return programsOnly(join(folder, 'hostile-bin'), {
    cmake: `#!/bin/sh
[ "$1" = --build ] || exit 0
mkdir -p out
cat > out/ringlab-train <<'END'
#!/bin/sh
echo "$HOME" >> ${folder}/ran
exec ${others} "$@"
END
chmod 755 out/ringlab-train
`,
  });
}

function start(hostile: string): Bench {
  const source = join(folder, 'native');
  if (!existsSync(source))
    writeTinyTrainer(source, { others: writeStandInTrainer(join(folder, 'stand-in')) });
  const tools = hostileTools();
  const bench = createBench({
    paths: { nativeSource: source, trainerBinary: undefined, data: join(folder, 'app') },
    // Each node is a machine of its own, by its host key: none of them says so itself.
    shell: (nodeId) => ({
      machine: { host: `${nodeId}.example`, user: 'anna', hostKey: `SHA256:${nodeId}` },
      ...(nodeId === hostile ? { path: `${tools}:${process.env.PATH ?? ''}` } : {}),
    }),
  });
  benches.push(bench);
  return bench;
}

const remote = (node: LabNode, change: Partial<LabNode> = {}): LabNode => ({
  ...node,
  access: {
    type: 'ssh',
    host: `${node.id}.example`,
    port: 22,
    user: 'anna',
    authentication: { method: 'agent' },
  },
  ...change,
});
const labWith = async (
  names: readonly string[],
  change: (node: LabNode) => LabNode,
): Promise<LabDocument> => {
  const lab = labOf(names, {
    port: await freePort(),
    data: { type: 'folder', path: join(folder, 'images') },
  });
  return { ...lab, nodes: lab.nodes.map(change) };
};
const only = (lab: LabDocument, ...ids: string[]) => ({ nodeIds: ids, lab });
const builds = (bench: Bench, nodeId: string): number =>
  bench.shell(nodeId).scripts.filter((script) => script.includes('cmake --build')).length;
const log = (bench: Bench, lab: LabDocument, nodeId: string): string =>
  linesIn(
    bench.provisioner
      .status(lab)
      .find((node) => node.nodeId === nodeId)!
      .steps.find(({ id }) => id === 'trainer')!.log,
    'en',
  );
/** Where builds of a machine are kept on this computer. */
const kept = (machine: string): string => {
  const trainers = join(folder, 'app', 'trainers');
  return join(trainers, readdirSync(trainers)[0]!, machine);
};
const summary = (bench: Bench, lab: LabDocument, nodeId: string): string =>
  bench.provisioner
    .status(lab)
    .find((node) => node.nodeId === nodeId)!
    .steps.find(({ id }) => id === 'trainer')!.summary.en;

describe('finding 1: a build of a node is used on that node only', () => {
  it('finding 1: a hostile node’s binary is started on no other node and on no local node', async () => {
    const bench = start('n0');
    // n0 is hostile, n1 is somebody else's, n2 is a local node of this computer.
    const mixed = (node: LabNode): LabNode => (node.id === 'n2' ? node : remote(node));
    const lab = await labWith(['bad', 'good', 'mine'], mixed);
    await bench.provisioner.prepare(lab, only(lab, 'n0'));
    await bench.provisioner.prepare(lab, only(lab, 'n1'));
    await bench.provisioner.prepare(lab, only(lab, 'n2'));
    const home = (nodeId: string): string => join(bench.folder, 'nodes', nodeId);
    expect(witnesses()).toEqual([home('n0')]);
    for (const id of ['n0', 'n1', 'n2']) expect(builds(bench, id), id).toBe(1);
    expect(log(bench, lab, 'n1')).toMatch(
      /one like it is not used: built by bad \(anna@n0\.example:22\), \d{4}-/,
    );
    expect(log(bench, lab, 'n1')).toContain('nodes that you trust alike can share');

    // Nor in another lab, nor after a restart; the node itself gets it again without a build.
    rmSync(kept('here'), { recursive: true });
    const later = start('n0');
    const other = { ...(await labWith(['bad', 'good', 'mine'], mixed)), id: 'another' };
    await later.provisioner.prepare(other);
    expect([builds(later, 'n0'), builds(later, 'n1'), builds(later, 'n2')]).toEqual([0, 0, 1]);
    expect(summary(later, other, 'n0')).toMatch(/built by bad \(anna@n0\.example:22\), \d{4}-\d\d-/);
    expect(witnesses()).toEqual([home('n0'), join(later.folder, 'nodes', 'n0')]);
  });

  it('finding 1: three nodes at once each build their own', async () => {
    const bench = start('n1');
    const lab = await labWith(['a', 'bad', 'c'], (node) => (node.id === 'n2' ? node : remote(node)));
    await bench.provisioner.prepare(lab);
    expect(witnesses()).toEqual([join(bench.folder, 'nodes', 'n1')]);
    for (const id of ['n0', 'n1', 'n2']) expect(builds(bench, id), id).toBe(1);
  });

  it('nodes that the user lets share build once; this computer and other nodes are excluded', async () => {
    const bench = start('n0');
    const lab = await labWith(['a', 'b', 'apart', 'mine'], (node) =>
      node.id === 'n3' ? { ...node, shareBuilds: true } : remote(node, { shareBuilds: node.id !== 'n2' }),
    );
    await bench.provisioner.prepare(lab);
    // Which of the two built is chance; were it the one with the strange cmake, the other runs what it made.
    expect(builds(bench, 'n0') + builds(bench, 'n1')).toBe(1);
    expect(builds(bench, 'n2')).toBe(1);
    expect(builds(bench, 'n3')).toBe(1);
    for (const id of ['n2', 'n3']) expect(witnesses()).not.toContain(join(bench.folder, 'nodes', id));

    // Switched off again, what the other built is not handed out any more, and does not run where it lies.
    rmSync(kept('here'), { recursive: true });
    const apart = { ...lab, nodes: lab.nodes.map((node) => ({ ...node, shareBuilds: false })) };
    const built = builds(bench, 'n0') === 1 ? 'n1' : 'n0';
    await bench.provisioner.prepare(apart, only(apart, built));
    expect(builds(bench, built)).toBe(1);
  });

  it('a machine is its address and its verified host key: another key is another machine', () => {
    const target = {
      labId: 'l',
      nodeId: 'n',
      nodeName: 'n',
      host: 'h',
      port: 22,
      user: 'u',
      authentication: { method: 'agent' },
    } as const;
    const ids = [
      machineOf({ target, hostKey: 'SHA256:a' }),
      machineOf({ target, hostKey: 'SHA256:b' }),
      machineOf({ target: { ...target, user: 'v' }, hostKey: 'SHA256:a' }),
      machineOf({ target: { ...target, port: 23 }, hostKey: 'SHA256:a' }),
      machineOf({ target: { ...target, jump: { ...target, host: 'j' } }, hostKey: 'SHA256:a' }),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    // The lab and the node's name change nothing: the same machine in another lab keeps what it built.
    expect(machineOf({ target: { ...target, labId: 'x', nodeName: 'y' }, hostKey: 'SHA256:a' }).id).toBe(
      ids[0],
    );
  });

  it('a build stored by an older version without its origin is not sent to any node', async () => {
    const bench = start('none');
    const lab = await labWith(['a'], remote);
    await bench.provisioner.prepare(lab);
    const trainers = join(folder, 'app', 'trainers');
    const [fingerprint] = readdirSync(trainers);
    const [machine] = readdirSync(join(trainers, fingerprint!));
    const hostile = '#!/bin/sh\ntouch /nowhere\n';
    rmSync(join(trainers, fingerprint!, machine!), { recursive: true });
    writeFileSync(join(trainers, fingerprint!, 'ringlab-train'), hostile);
    const sum = execFileSync('sha256sum', { input: hostile, encoding: 'utf8' }).slice(0, 64);
    writeFileSync(join(trainers, fingerprint!, 'ringlab-train.sha256'), `${sum}\n`);
    rmSync(join(bench.folder, 'nodes', 'n0', '.ringlab'), { recursive: true });
    await bench.provisioner.prepare(lab);
    expect(builds(bench, 'n0')).toBe(2);
    expect(existsSync(join(trainers, fingerprint!, 'ringlab-train'))).toBe(false);
  });

  it('a program in a foreign bundle needs the user’s consent, and is never used on this computer', async () => {
    const theirs = createBundleStore(join(folder, 'stick'));
    writeFileSync(join(folder, 'evil'), '#!/bin/sh\n');
    const sha256 = await theirs.keep(join(folder, 'evil'));
    // It says that this computer built it.
    const origin: TrainerOrigin = { by: 'here', machine: 'here', place: 'this computer', name: '', at: 1 };
    await theirs.change((index) => ({
      ...index,
      trainers: [{ fingerprint: 'f', sha256, origin }],
      micromamba: { 'linux-64': sha256 },
    }));
    const ours = createBundleStore(join(folder, 'app', 'bundle'));
    expect(await ours.join(theirs, { programs: false })).toMatchObject({ objects: 0, programsLeft: 2 });
    expect(await ours.read()).toMatchObject({ trainers: [], micromamba: {} });
    await ours.join(theirs, { programs: true });
    const [taken] = (await ours.read()).trainers;
    const lab = await labWith(['mine', 'far'], (node) => (node.id === 'n0' ? node : remote(node)));
    const machine = { id: 'x', place: 'y' };
    expect(mayRun(taken!.origin, runnerOf(lab, lab.nodes[0]!, machine))).toBe(false);
    expect(mayRun(taken!.origin, runnerOf(lab, lab.nodes[1]!, machine))).toBe(true);
  });

  it('trainers of an old bundle without their origin are not sent to any node', async () => {
    const store = createBundleStore(join(folder, 'old'));
    mkdirSync(store.folder);
    const trainers = { f: 'a'.repeat(64) };
    const old = { format: 'ringlab-bundle', version: 1, apt: [], conda: {}, micromamba: {}, trainers };
    writeFileSync(join(store.folder, 'bundle.json'), JSON.stringify(old));
    expect((await store.read()).trainers).toEqual([]);
  });
});
