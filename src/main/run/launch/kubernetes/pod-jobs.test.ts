/** The objects that a run creates, and what its pods execute: both from what is drawn. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Job } from 'kubernetes-types/batch/v1';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ownedBy,
  podJobs,
  isOneSet,
  podNames,
  podPlaces,
  podService,
  runObjects,
} from '../../../../shared/lab/kubernetes-job.ts';
import {
  accessPod,
  machineObjects,
  machinePlaces,
  previewObjects,
} from '../../../../shared/lab/kubernetes-machines.ts';
import type { KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../../../shared/lab/lab.ts';
import type { LaunchOrder } from '../../record/launcher.ts';
import { podArgv, podScript } from './pod-script.ts';
import { schemaProblems } from './testing/api-schema.ts';
import { everything, target } from './testing/targets.ts';

const execute = promisify(execFile);
const isJob = (one: { readonly kind?: string }): one is Job => one.kind === 'Job';
const node = (id: string, gpuCount: number): LabNode => ({
  id,
  name: id,
  kind: 'gpu',
  position: { x: 0, y: 0 },
  placement: { ...defaultPlacement('gpu'), flavour: { name: 'g', gpuModel: 'A100', gpuCount } },
  access: { type: 'local' },
});
const labOf = (to: KubernetesTarget, ...nodes: LabNode[]): LabDocument => {
  const lab = { ...emptyLab('lab', 'Pods'), nodes };
  return { ...lab, experiment: { ...lab.experiment, where: to } };
};
const optionsOf = (to: KubernetesTarget, ...nodes: LabNode[]) => ({
  lab: labOf(to, ...nodes),
  target: to,
  order: undefined,
  name: 'ringlab-run-1',
  runFolder: '/mnt/ringlab/volume/.ringlab/runs/run',
  attempt: 1,
  isSet: false,
});

describe('the objects of a run in a cluster', () => {
  it.each([
    ['at least', target],
    ['with everything', everything],
  ])('are what the API server’s schema knows: %s', (_name, to) => {
    const options = optionsOf(to, node('a', 2), node('b', 2), node('c', 1));
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'ringlab-run-1', uid: 'u' };
    const [first, ...others] = podJobs(options);
    const all = [first, ...others.map((job) => ownedBy(job, owner)), ownedBy(podService(options), owner)];
    expect(all.flatMap((one) => schemaProblems(one ?? {}))).toEqual([]);
    const { metadata, spec } = accessPod(to, 'ringlab-access-1');
    const asTemplate = { ...first, spec: { ...first?.spec, template: { metadata, spec } } };
    expect(schemaProblems(asTemplate)).toEqual([]);
    for (const pod of [first?.spec?.template, accessPod(to, 'ringlab-access-1')])
      expect(pod?.metadata?.labels).toMatchObject({ 'sidecar.istio.io/inject': 'false' });
    // The Service's pods are found by the labels of the run alone.
    expect(podService(options).spec?.selector).not.toHaveProperty('sidecar.istio.io/inject');
  });

  it('are jobs of pods that wait for commands where there is no claim', () => {
    for (const to of [target, everything]) {
      const { claim: _, ...without } = to;
      const lab = labOf(without, node('a', 2), node('b', 2), node('c', 1));
      const jobs = machineObjects(lab, without, 'ringlab-nodes-1', false).filter(isJob);
      expect(jobs.flatMap((job) => schemaProblems(job))).toEqual([]);
      expect(jobs.map(({ spec }) => spec?.completions)).toEqual([2, 1]);
      expect(jobs[0]?.spec?.template.spec?.volumes).toContainEqual({ name: 'volume', emptyDir: {} });
      expect(machinePlaces(lab, 'ringlab-nodes-1')).toEqual([
        { nodeId: 'a', jobs: ['ringlab-nodes-1', 'ringlab-nodes-1-0-0'], index: 0 },
        { nodeId: 'b', jobs: ['ringlab-nodes-1', 'ringlab-nodes-1-0-0'], index: 1 },
        { nodeId: 'c', jobs: ['ringlab-nodes-1-1', 'ringlab-nodes-1-1-0'], index: 0 },
      ]);
      expect(previewObjects(lab, without, false).map(({ kind }) => kind)).toEqual(['Job', 'Job']);
    }
    // A JobSet ends all pods with one that is lost: without a claim only a queue needs one.
    const alone = labOf(target, node('a', 2), node('b', 2), node('c', 1));
    expect(previewObjects(alone, target, true).map(({ kind }) => kind)).toEqual(['Job', 'Job']);
    const queued = { ...target, queue: 'gpus' };
    expect(
      previewObjects({ ...alone, experiment: { ...alone.experiment, where: queued } }, queued, true),
    ).toMatchObject([{ kind: 'JobSet', spec: { suspend: true, network: { enableDNSHostnames: false } } }]);
  });

  it('are a job for each run of nodes that are alike, whose pods know their numbers', () => {
    const options = optionsOf(target, node('a', 2), node('b', 2), node('c', 1));
    const jobs = podJobs(options);
    const firstOf = (job: (typeof jobs)[number]) =>
      job.spec?.template.spec?.containers[0]?.env?.find(({ name }) => name === 'RINGLAB_FIRST_POD')?.value;
    expect(jobs.map((job) => [job.metadata?.name, job.spec?.completions, firstOf(job)])).toEqual([
      ['ringlab-run-1', 2, '0'],
      ['ringlab-run-1-1', 1, '2'],
    ]);
    expect(podNames(options)).toEqual([
      'ringlab-run-1-0.ringlab-run-1',
      'ringlab-run-1-1.ringlab-run-1',
      'ringlab-run-1-1-0.ringlab-run-1',
    ]);
  });
});

describe('nodes that differ, where the cluster has JobSets', () => {
  const nodes = [node('a', 2), node('b', 2), node('c', 1)];

  it('are one JobSet, whose Jobs and pods have the names that its controller gives them', () => {
    const options = { ...optionsOf(everything, ...nodes), isSet: true };
    const objects = runObjects(options);
    expect(objects).toHaveLength(1);
    const [set] = objects;
    if (set?.kind !== 'JobSet') throw new Error('no JobSet');
    expect(set.metadata).toMatchObject({
      name: 'ringlab-run-1',
      namespace: 'team-a',
      labels: { 'app.kubernetes.io/instance': 'ringlab-run-1', 'kueue.x-k8s.io/queue-name': 'gpus' },
    });
    expect(set.spec).toMatchObject({
      suspend: true,
      ttlSecondsAfterFinished: 604_800,
      network: { enableDNSHostnames: true, publishNotReadyAddresses: true },
    });
    expect(podPlaces(options)).toEqual([
      { job: 'ringlab-run-1-0-0', index: 0 },
      { job: 'ringlab-run-1-0-0', index: 1 },
      { job: 'ringlab-run-1-1-0', index: 0 },
    ]);
    expect(podNames(options)[2]).toBe('ringlab-run-1-1-0-0.ringlab-run-1');
  });

  it('are Jobs that the API server’s schema knows, which wait, end and are admitted by the set alone', () => {
    for (const to of [target, everything]) {
      const [set] = runObjects({ ...optionsOf(to, ...nodes), isSet: true });
      if (set?.kind !== 'JobSet') throw new Error('no JobSet');
      expect(set.spec.replicatedJobs.map(({ name, replicas }) => [name, replicas])).toEqual([
        ['0', 1],
        ['1', 1],
      ]);
      for (const { template } of set.spec.replicatedJobs) {
        expect(schemaProblems({ apiVersion: 'batch/v1', kind: 'Job', ...template })).toEqual([]);
        expect(template.spec).not.toHaveProperty('suspend');
        expect(template.spec).not.toHaveProperty('ttlSecondsAfterFinished');
        expect(template.metadata.labels).toEqual({
          'app.kubernetes.io/name': 'ringlab',
          'app.kubernetes.io/instance': 'ringlab-run-1',
          'sidecar.istio.io/inject': 'false',
        });
      }
    }
  });

  it('are Jobs as before where all nodes are alike', () => {
    const shared = { ...target, claim: 'shared' };
    expect(isOneSet(labOf(shared, node('a', 2), node('b', 2)), undefined, true)).toBe(false);
    expect(isOneSet(labOf(shared, ...nodes), undefined, true)).toBe(true);
    expect(isOneSet(labOf(shared, ...nodes), undefined, false)).toBe(false);
    // In the order of their ranks those that are alike may be apart.
    expect(isOneSet(labOf(shared, ...nodes), ['a', 'c', 'b'], true)).toBe(true);
  });
});

describe('what a pod executes', () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  const orderOf = (folder: string, label: string): LaunchOrder => ({
    nodeId: 'n',
    label,
    directory: join(folder, label),
    argv: [],
    env: {},
    attempt: 1,
  });
  /** Runs the first pod's script, with tasks of these shell texts. */
  const runPod = async (
    folder: string,
    tasks: Readonly<Record<string, string>>,
    isScript = false,
  ): Promise<number> => {
    for (const [label, task] of Object.entries(tasks)) {
      await mkdir(join(folder, label), { recursive: true });
      await writeFile(join(folder, label, 'task.sh'), task);
    }
    const ranks = Object.keys(tasks).map((label) => orderOf(folder, label));
    const script = podScript({
      ...{ runFolder: folder, attempt: 1, port: 29500, names: ['run-0.run'] },
      isScript,
      nodes: [{ ranks, beside: [] }],
    });
    const env = { ...process.env, RINGLAB_FIRST_POD: '0', JOB_COMPLETION_INDEX: '0' };
    return await execute('sh', ['-c', script], { env }).then(
      () => 0,
      (error: unknown) => (error as { code: number }).code,
    );
  };
  const newFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'ringlab-pod-'));
    folders.push(folder);
    return folder;
  };
  const ends = (rank: number, code: string): string =>
    `cd rank-${rank}; printf '{"code":${code},"signal":null,"t":1,"attempt":1}' >exit.json`;

  it('ends with the first exit code of its ranks that is not 0; without one, as if it were killed', async () => {
    const folder = await newFolder();
    expect(await runPod(folder, { 'rank-0': ends(0, '0'), 'rank-1': ends(1, '0') })).toBe(0);
    expect(await runPod(folder, { 'rank-0': ends(0, '0'), 'rank-1': ends(1, '4') })).toBe(4);
    expect(await runPod(folder, { 'rank-0': ends(0, 'null'), 'rank-1': ends(1, '0') })).toBe(137);
  });

  it('ends with no code of the trainer’s where a script has such a one: the job would start it again and again', async () => {
    const folder = await newFolder();
    for (const code of ['4', '7']) {
      expect(await runPod(folder, { 'rank-0': ends(0, code) }, true)).toBe(1);
      expect(await runPod(folder, { 'rank-0': ends(0, code) })).toBe(Number(code));
    }
    expect(await runPod(folder, { 'rank-0': ends(0, '3') }, true)).toBe(3);
    expect(await runPod(folder, { 'rank-0': ends(0, 'null') }, true)).toBe(137);
  });

  it('gives its ranks their rendezvous, and forgets how they ended when it starts again', async () => {
    const folder = await newFolder();
    const say = `ls rank-0 >>seen; echo "$MASTER_ADDR $MASTER_PORT $RINGLAB_PEERS" >>seen; ${ends(0, '0')}`;
    await runPod(folder, { 'rank-0': say });
    await runPod(folder, { 'rank-0': say });
    expect((await readFile(join(folder, 'seen'), 'utf8')).split('\n')).toEqual([
      ...['task.sh', 'run-0.run 29500 run-0.run', 'task.sh', 'run-0.run 29500 run-0.run', ''],
    ]);
    expect(await readFile(join(folder, 'again-1'), 'utf8')).toBe('');
  });

  it('has the rank’s command without addresses that nobody knows before', () => {
    const argv = [
      'ringlab-train',
      '--rank',
      '0',
      '--address',
      '$RINGLAB_ADDRESS',
      '--peers',
      '$RINGLAB_PEERS',
    ];
    expect(podArgv(argv, 2)).toEqual(['ringlab-train', '--rendezvous-timeout', '1800', '--rank', '0']);
    expect(podArgv(argv, 1)).toEqual(['ringlab-train', '--rank', '0']);
  });
});
