import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import type { Experiment, LabDocument } from '../../../../shared/lab/lab.ts';
import { chain } from '../../../../shared/lab/topology.fixture.ts';
import { exportKubernetes, type KubernetesWords } from './kubernetes-command.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-export-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const Summary = z.object({
  file: z.string(),
  name: z.string(),
  pods: z.number(),
  ranks: z.number(),
  objects: z.array(z.string()),
});
const Written = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
});

const labWith = (experiment: Partial<Experiment>): LabDocument => {
  const lab = chain(3);
  return {
    ...lab,
    experiment: {
      ...lab.experiment,
      data: { type: 'shapes', train: 300, validation: 60, size: 32, seed: 1 },
      ...experiment,
    },
  };
};

async function exported(lab: LabDocument, words: KubernetesWords = {}, name = 'lab.yaml') {
  const results: string[] = [];
  const remarks: string[] = [];
  const code = await exportKubernetes(
    lab,
    join(folder, name),
    words,
    { localCpus: 2 },
    {
      result: (line) => results.push(line),
      remark: (line) => remarks.push(line),
    },
  );
  expect(results).toHaveLength(1);
  return { code, summary: Summary.parse(JSON.parse(results[0] ?? '')), remarks };
}

describe('ringlab export LAB --kubernetes', () => {
  it('writes the objects into a file that the user alone may read, and prints them', async () => {
    const { code, summary, remarks } = await exported(labWith({}), {
      namespace: 'team',
      image: 'registry.example/a:1',
    });
    expect(code).toBe(0);
    expect(summary).toMatchObject({ pods: 3, ranks: 3 });
    expect((await stat(summary.file)).mode & 0o777).toBe(0o600);
    const documents = parseAllDocuments(await readFile(summary.file, 'utf8')).map((one) =>
      Written.parse(one.toJS()),
    );
    expect(documents.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual(summary.objects);
    expect(documents.every(({ metadata }) => metadata.namespace === 'team')).toBe(true);
    expect(remarks).toEqual([
      expect.stringContaining('links are not emulated'),
      expect.stringContaining('--claim'),
    ]);
  });

  it('is read by kubectl, which knows YAML 1.1, with the words that were given', async () => {
    const { summary } = await exported(labWith({}), {
      namespace: 'no',
      'node-selector': ['gpu=yes', 'rack=1_000', 'y=0b1'],
      toleration: ['dedicated=on:NoSchedule'],
    });
    const text = await readFile(summary.file, 'utf8');
    const job = parseAllDocuments(text, { version: '1.1' })
      .map((one) => z.looseObject({ kind: z.string() }).parse(one.toJS()))
      .find(({ kind }) => kind === 'Job');
    expect(job).toMatchObject({
      metadata: { namespace: 'no' },
      spec: {
        template: {
          spec: {
            nodeSelector: { gpu: 'yes', rack: '1_000', y: '0b1' },
            tolerations: [{ key: 'dedicated', value: 'on' }],
          },
        },
      },
    });
  });

  it('has another name and another secret each time, and replaces no file', async () => {
    const first = await exported(labWith({}), {}, 'first.yaml');
    const second = await exported(labWith({}), {}, 'second.yaml');
    expect(first.summary.name).not.toBe(second.summary.name);
    const secrets = await Promise.all(
      [first, second].map(
        async ({ summary }) => /[0-9a-f]{64}/.exec(await readFile(summary.file, 'utf8'))?.[0],
      ),
    );
    expect(new Set(secrets).size).toBe(2);
    await expect(exported(labWith({}), {}, 'first.yaml')).rejects.toMatchObject({ code: 'file_exists' });
  });

  it('decides the mode of synchronisation where the lab leaves it open', async () => {
    const { summary } = await exported(labWith({ sync: 'auto' }));
    expect(await readFile(summary.file, 'utf8')).not.toContain('--sync auto');
  });

  it.each<[string, Partial<Experiment>, KubernetesWords]>([
    ['experiment.data', { data: { type: 'upload', path: '/pictures' } }, {}],
    ['experiment.encrypt', { encrypt: true }, {}],
    ['--claim', {}, { claim: 'Not a name' }],
    ['--node-selector', {}, { 'node-selector': ['no key=x'] }],
    ['--toleration', {}, { toleration: ['key:Sometimes'] }],
  ])('refuses what a manifest cannot hold: %s', async (path, experiment, words) => {
    await expect(exported(labWith(experiment), words)).rejects.toMatchObject({
      code: 'bad_request',
      params: { path },
    });
    expect(existsSync(join(folder, 'lab.yaml'))).toBe(false);
  });

  it('reads tolerations and selectors as kubectl writes them', async () => {
    const { summary } = await exported(labWith({}), {
      toleration: ['nvidia.com/gpu', 'team=a:NoSchedule', 'spot:NoExecute'],
      'node-selector': ['nvidia.com/gpu.product=NVIDIA-L4', 'fast='],
    });
    const text = await readFile(summary.file, 'utf8');
    expect(text).toContain('- key: nvidia.com/gpu\n          operator: Exists\n');
    expect(text).toContain(
      '- key: team\n          operator: Equal\n          value: a\n          effect: NoSchedule\n',
    );
    expect(text).toContain('- key: spot\n          operator: Exists\n          effect: NoExecute\n');
    expect(text).toContain('nodeSelector:\n        nvidia.com/gpu.product: NVIDIA-L4\n        fast: ""\n');
  });
});
