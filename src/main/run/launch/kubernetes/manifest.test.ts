import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../../../shared/lab/lab.ts';
import { kubernetesManifest, manifestName, type Manifest } from './manifest.ts';
import { schemaProblems } from './testing/api-schema.ts';
import { everything, target } from './testing/targets.ts';

const node = (id: string, gpus: number, change: Partial<LabNode['placement']> = {}): LabNode => ({
  id,
  name: id,
  kind: gpus === 0 ? 'cpu' : 'gpu',
  position: { x: 0, y: 0 },
  placement: {
    ...defaultPlacement(gpus === 0 ? 'cpu' : 'gpu'),
    ...(gpus === 0 ? {} : { flavour: { name: 'gpu', gpuModel: 'A100', gpuCount: gpus } }),
    ...change,
  },
  access: { type: 'local' },
});
const labOf = (...nodes: LabNode[]): LabDocument => ({ ...emptyLab('lab', 'Three nodes'), nodes });
const manifestOf = (lab: LabDocument, to: KubernetesTarget = target): Manifest =>
  kubernetesManifest({
    lab,
    nodeOrder: undefined,
    target: to,
    name: 'ringlab-run',
    secret: 'a'.repeat(64),
    isSet: false,
  });

const jobsOf = ({ objects }: Manifest) => objects.flatMap((one) => (one.kind === 'Job' ? [one] : []));
const commandsOf = ({ objects }: Manifest): string =>
  objects.flatMap((one) => (one.kind === 'ConfigMap' ? [one.data?.['commands.sh'] ?? ''] : [])).join('');

describe('the manifest of a lab', () => {
  it.each([
    ['one node', labOf(node('a', 0)), target],
    ['three nodes with GPUs', labOf(node('a', 2), node('b', 2), node('c', 2)), everything],
    ['nodes that differ', labOf(node('a', 1), node('b', 1), node('c', 0, { memoryGb: 1.5 })), target],
  ])('is what the API server’s schema knows: %s', (_name, lab, to) => {
    expect(manifestOf(lab, to).objects.flatMap(schemaProblems)).toEqual([]);
  });

  it('would not pass that schema with a field of another name', () => {
    const [job] = jobsOf(manifestOf(labOf(node('a', 0))));
    const wrong = { ...job, spec: { ...job?.spec, completionsMode: 'Indexed' } };
    expect(schemaProblems(wrong)).toEqual([expect.stringContaining('completionsMode')]);
  });

  it('has a pod for each drawn node, with what it needs', () => {
    const { objects, pods, ranks } = manifestOf(labOf(node('a', 2), node('b', 2)), everything);
    expect({ pods, ranks }).toEqual({ pods: 2, ranks: 4 });
    expect(objects.map(({ kind }) => kind)).toEqual(['Service', 'Secret', 'ConfigMap', 'Job']);
    const [job] = jobsOf({ objects, pods, ranks });
    expect(job?.spec).toMatchObject({
      completionMode: 'Indexed',
      completions: 2,
      parallelism: 2,
      suspend: true,
    });
    expect(job?.metadata?.labels).toMatchObject({ 'kueue.x-k8s.io/queue-name': 'gpus' });
    const pod = job?.spec?.template.spec;
    expect(pod).toMatchObject({
      subdomain: 'ringlab-run',
      priorityClassName: 'high',
      nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB' },
      imagePullSecrets: [{ name: 'pull' }],
      tolerations: [
        { key: 'nvidia.com/gpu', operator: 'Exists' },
        { key: 'dedicated', operator: 'Equal', value: 'training', effect: 'NoSchedule' },
      ],
      securityContext: { runAsNonRoot: true },
    });
    expect(pod?.containers[0]?.resources).toEqual({
      requests: { cpu: '4', memory: '8Gi', 'nvidia.com/gpu': '2' },
      limits: { memory: '8Gi', 'nvidia.com/gpu': '2' },
    });
    expect(pod?.volumes?.[0]).toEqual({ name: 'volume', persistentVolumeClaim: { claimName: 'shared' } });
  });

  it('makes a job of each kind of node; ranks count on', () => {
    const manifest = manifestOf(labOf(node('a', 2), node('b', 1), node('c', 1)));
    const jobs = jobsOf(manifest);
    expect(jobs.map(({ metadata, spec }) => [metadata?.name, spec?.completions])).toEqual([
      ['ringlab-run-0', 1],
      ['ringlab-run-1', 2],
    ]);
    const first = jobs.map(
      ({ spec }) =>
        spec?.template.spec?.containers[0]?.env?.find(({ name }) => name === 'RINGLAB_FIRST_RANK')?.value,
    );
    expect(first).toEqual(['0', '2']);
    expect(commandsOf(manifest)).toContain('--dist-url tcp://ringlab-run-0-0.ringlab-run:8090');
  });

  it('has every rank’s command, which the shell understands, and the secret in no command', () => {
    const manifest = manifestOf(labOf(node('a', 2), node('b', 1)));
    const commands = commandsOf(manifest);
    for (const rank of [0, 1, 2]) expect(commands).toContain(` --rank ${rank} `);
    expect(commands).toContain('--dist-backend nccl');
    expect(commands).not.toMatch(/--address|--peers|nice/);
    const text = JSON.stringify(manifest.objects.filter(({ kind }) => kind !== 'Secret'));
    expect(text).not.toContain('a'.repeat(64));
    for (const script of ['commands.sh', 'start.sh'])
      execFileSync('sh', ['-n'], {
        input: manifest.objects
          .flatMap((one) => (one.kind === 'ConfigMap' ? [one.data?.[script] ?? ''] : []))
          .join(''),
      });
  });
});

describe('the name of its objects', () => {
  it('is a host name that is long enough to tell labs apart', () => {
    expect(manifestName('Drei Knoten, 三个 nodes!', '3f2a91')).toBe('ringlab-drei-knoten-nodes-3f2a91');
    expect(manifestName('三个', '3f2a91')).toBe('ringlab-3f2a91');
    expect(manifestName('x'.repeat(200), '3f2a91')).toHaveLength(50);
  });
});

describe('what a cluster’s administration calls things', () => {
  it.each([
    { image: 'a image' },
    { image: 'x', claim: 'Not a name' },
    { image: 'x', nodeSelector: { 'a b': 'c' } },
    { image: 'x', tolerations: [{ key: 'k', effect: 'Sometimes' }] },
  ])('is refused where Kubernetes would refuse it: %o', (wrong) => {
    expect(KubernetesTarget.safeParse({ type: 'kubernetes', ...wrong }).success).toBe(false);
  });
});
