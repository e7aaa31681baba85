import { describe, expect, it } from 'vitest';
import type { Annotation } from './annotation.ts';
import { RinglabError } from '../base/errors.ts';
import { checkLab, rankCount } from './lab-check.ts';
import { lostRankPolicy } from './lost-rank.ts';
import { newSlurmTarget } from './where.ts';
import { formatLab, parseLab } from './read-lab.ts';
import { defaultPlacement, emptyLab, labMaxBytes, type LabDocument, type LabNode } from './lab.ts';

const node = (id: string, name: string, change: Partial<LabNode> = {}): LabNode => ({
  id,
  name,
  kind: 'cpu',
  position: { x: 0, y: 0 },
  placement: defaultPlacement('cpu'),
  access: { type: 'local' },
  ...change,
});
const lab = (change: Partial<LabDocument> = {}): LabDocument => ({
  ...emptyLab('lab', 'Lab'),
  nodes: [node('a', 'A'), node('b', 'B')],
  ...change,
});
const codes = (document: LabDocument): string[] => checkLab(document).map((issue) => issue.code);
const failure = (text: string): RinglabError => {
  try {
    parseLab(text, 'my.lab.json');
  } catch (error) {
    if (error instanceof RinglabError) return error;
  }
  throw new Error('parseLab did not refuse it');
};

describe('lab documents', () => {
  it('are read byte for byte as written', () => {
    const text = formatLab(lab({ name: '三个节点 🚀' }));
    expect(formatLab(parseLab(text, 'x'))).toBe(text);
    expect(parseLab(`\uFEFF${text}`, 'x').name).toBe('三个节点 🚀');
  });

  it('say what keeps the other ranks from going on when one is lost', () => {
    const { experiment } = lab();
    const goesOn = (change: Partial<LabDocument['experiment']>): string[] =>
      codes(lab({ experiment: { ...experiment, onLostRank: 'continue', ...change } }));
    expect(goesOn({})).not.toContain('goes_on_without');
    for (const change of [
      { backend: 'nccl' },
      { syncBatchNorm: true },
      { data: { type: 'folder', path: '/data', split: true } },
      {
        script: { source: { type: 'folder', path: '/s' }, file: 'train.py', arguments: '', environment: [] },
      },
    ] as Partial<LabDocument['experiment']>[]) {
      expect(goesOn(change), JSON.stringify(change)).toContain('goes_on_without');
      expect(goesOn({ ...change, onLostRank: 'restart' })).not.toContain('goes_on_without');
    }
  });

  it('go on by default where several ranks exchange over Gloo and nothing keeps them from it', () => {
    const { experiment } = lab();
    const gloo = { backend: 'gloo', ranks: 2 } as const;
    expect(lostRankPolicy(experiment, gloo)).toBe('continue');
    expect(lostRankPolicy(experiment, { backend: 'nccl', ranks: 2 })).toBe('stop');
    expect(lostRankPolicy(experiment, { backend: 'gloo', ranks: 1 })).toBe('stop');
    expect(lostRankPolicy({ ...experiment, syncBatchNorm: true }, gloo)).toBe('stop');
    expect(lostRankPolicy({ ...experiment, onLostRank: 'restart' }, gloo)).toBe('restart');
    expect(lostRankPolicy({ ...experiment, where: newSlurmTarget() }, gloo)).toBe('stop');
  });

  it('keep notes and shapes, and report invalid ones', () => {
    const area: Annotation = {
      id: 'a-1',
      kind: 'ellipse',
      position: { x: -20, y: 40 },
      size: { width: 480, height: 280 },
      text: '机房 A\nsecond line',
      colour: 'violet',
    };
    const text = formatLab(lab({ annotations: [area] }));
    expect(parseLab(text, 'x').annotations).toEqual([area]);
    expect(checkLab(lab({ annotations: [area] }))).toEqual(checkLab(lab()));
    expect(failure(text.replace('"width": 480', '"width": -1')).params).toMatchObject({
      path: 'annotations[0].size.width',
    });
    const twice = { ...lab(), annotations: [area, area] };
    expect(failure(JSON.stringify(twice)).params).toMatchObject({ path: 'annotations' });
  });

  it('are written without unknown fields, so that no secret is stored', () => {
    const smuggled = { ...lab(), password: 'secret' } as LabDocument;
    expect(formatLab(smuggled)).not.toContain('secret');
  });

  it('that are damaged are refused with the place', () => {
    expect(failure('{"format":').code).toBe('lab_unreadable');
    expect(failure('[]').code).toBe('lab_invalid');
    expect(failure('{"format":"ringlab-lab","version":0}').params).toMatchObject({ path: 'version' });
    const broken = JSON.parse(formatLab(lab())) as { nodes: { placement: { cpus: unknown } }[] };
    broken.nodes[1]!.placement.cpus = 'four';
    expect(failure(JSON.stringify(broken))).toMatchObject({
      code: 'lab_invalid',
      where: 'my.lab.json',
      params: { path: 'nodes[1].placement.cpus' },
    });
  });

  it('fault 36: of a newer version are refused with both versions', () => {
    expect(failure('{"format":"ringlab-lab","version":99}')).toMatchObject({
      code: 'lab_newer',
      params: { version: 99, supported: 1 },
    });
  });

  it('of 50 MB of random data are refused before parsing', () => {
    expect(failure('x'.repeat(50 * 1024 * 1024))).toMatchObject({
      code: 'lab_too_large',
      params: { limit: labMaxBytes },
    });
  });
});

describe('checking a lab', () => {
  it('warns if the batch is not divisible by the ranks, and reports the used size', () => {
    const uneven = lab({ experiment: { ...emptyLab('x', 'x').experiment, batchSize: 7 } });
    expect(checkLab(uneven)).toMatchObject([
      { severity: 'warning', code: 'batch_uneven', params: { ranks: 2, used: 6 } },
    ]);
  });

  it('warns if the batch is larger than all training images, and not that it is uneven, too', () => {
    const { experiment } = emptyLab('x', 'x');
    const data = { type: 'shapes' as const, train: 6, validation: 3, size: 32, seed: 1 };
    const large = lab({ experiment: { ...experiment, data, batchSize: 7 } });
    expect(checkLab(large)).toMatchObject([
      { severity: 'warning', code: 'batch_above_images', params: { batchSize: 7, images: 6 } },
    ]);
    expect(checkLab({ ...large, experiment: { ...large.experiment, batchSize: 6 } })).toMatchObject([
      { code: 'batch_few_norm_values' },
    ]);
  });

  it('warns if training ends within the warm-up, before it reaches the learning rate', () => {
    const { experiment } = emptyLab('x', 'x');
    const of = (warmupEpochs: number): unknown =>
      checkLab(lab({ experiment: { ...experiment, epochs: 6, warmupEpochs } }));
    expect(of(50)).toMatchObject([
      { severity: 'warning', code: 'warmup_above_epochs', params: { warmup: 50, epochs: 6 } },
    ]);
    expect(of(6)).toEqual([]);
  });

  it('warns if the last batch norms of a rank have few values, but not where they do not matter', () => {
    const data = { type: 'shapes' as const, train: 600, validation: 30, size: 32, seed: 1 };
    const of = (changed: object): unknown =>
      checkLab(lab({ experiment: { ...emptyLab('x', 'x').experiment, data, batchSize: 16, ...changed } }));
    expect(of({})).toMatchObject([
      { severity: 'warning', code: 'batch_few_norm_values', params: { images: 8, values: 8 } },
    ]);
    for (const good of [
      { batchSize: 32 },
      { data: { ...data, size: 64 } },
      { sync: 'allreduce', syncBatchNorm: true },
      { architecture: 'squeezenet1_1' },
      { architecture: 'vgg11_bn' },
    ])
      expect(of(good), JSON.stringify(good)).toEqual([]);
  });

  it('finds no issue with two named nodes', () => {
    expect(codes(lab())).toEqual([]);
    expect(rankCount(lab())).toBe(2);
  });

  it.each(['192.0.2.1', '2001:db8::1', 'fe80::1%eth0', 'gpu-1.lab.org'])('takes the address %s', (host) => {
    const access = {
      type: 'ssh',
      host,
      port: 22,
      user: 'root',
      authentication: { method: 'agent' },
    } as const;
    expect(codes(lab({ nodes: [node('a', 'A', { access })] }))).toEqual([]);
  });

  it('removes spaces around addresses and users, as copied text has them', () => {
    const access = {
      type: 'ssh',
      host: ' 192.0.2.1\u00a0',
      port: 22,
      user: 'root ',
      authentication: { method: 'agent' },
    } as const;
    const text = JSON.stringify(lab({ nodes: [node('a', 'A', { access })] }));
    expect(parseLab(text, 'x').nodes[0]?.access).toMatchObject({ host: '192.0.2.1', user: 'root' });
  });

  it('removes brackets around an IPv6 address, with which no name server finds it, also of jump hosts', () => {
    const hop = {
      host: ' [2001:db8::1] ',
      port: 22,
      user: 'root',
      authentication: { method: 'agent' },
    } as const;
    const access = { type: 'ssh', ...hop, jump: { ...hop, host: '[::1]' } } as const;
    const read = parseLab(JSON.stringify(lab({ nodes: [node('a', 'A', { access })] })), 'x');
    expect(read.nodes[0]?.access).toMatchObject({ host: '2001:db8::1', jump: { host: '::1' } });
    expect(codes(read)).toEqual([]);
    const other = { ...access, host: '[2001:db8::5]:22', jump: { ...hop, host: '[-oA=b:c]' } };
    const left = parseLab(JSON.stringify(lab({ nodes: [node('a', 'A', { access: other })] })), 'x');
    expect(codes(left)).toEqual(['host_not_alone', 'host_not_alone']);
  });

  it.each<[string, LabDocument]>([
    ['no_nodes', lab({ nodes: [] })],
    ['only_switches', lab({ nodes: [node('s', 'S', { kind: 'switch' })] })],
    ['node_without_name', lab({ nodes: [node('a', '  ')] })],
    ['duplicate_name', lab({ nodes: [node('a', 'A'), node('b', 'A ')] })],
    ['duplicate_id', lab({ nodes: [node('a', 'A'), node('a', 'B')] })],
    [
      'link_to_itself',
      lab({ links: [{ id: 'l', ends: ['a', 'a'], bandwidthMbps: 10, delayMs: 0, lossPercent: 0 }] }),
    ],
    [
      'link_dangling',
      lab({ links: [{ id: 'l', ends: ['a', 'zz'], bandwidthMbps: 10, delayMs: 0, lossPercent: 0 }] }),
    ],
    [
      'link_duplicate',
      lab({
        links: [
          { id: 'l', ends: ['a', 'b'], bandwidthMbps: 10, delayMs: 0, lossPercent: 0 },
          { id: 'm', ends: ['b', 'a'], bandwidthMbps: 10, delayMs: 0, lossPercent: 0 },
        ],
      }),
    ],
    [
      'nodes_apart',
      lab({
        nodes: ['a', 'b', 'c', 'd'].map((id) => node(id, id.toUpperCase())),
        links: [
          { id: 'l', ends: ['a', 'b'], bandwidthMbps: 10, delayMs: 0, lossPercent: 0 },
          { id: 'm', ends: ['c', 'd'], bandwidthMbps: 10, delayMs: 0, lossPercent: 0 },
        ],
      }),
    ],
    ...['root@192.0.2.1', 'my host', 'ssh://far', 'far:2222'].map((host): [string, LabDocument] => [
      'host_not_alone',
      lab({
        nodes: [
          node('a', 'A', {
            access: { type: 'ssh', host, port: 22, user: 'root', authentication: { method: 'agent' } },
          }),
        ],
      }),
    ]),
    [
      'host_missing',
      lab({
        nodes: [
          node('a', 'A', {
            access: { type: 'ssh', host: ' ', port: 22, user: 'root', authentication: { method: 'agent' } },
          }),
        ],
      }),
    ],
    [
      'unknown_architecture',
      lab({ experiment: { ...emptyLab('x', 'x').experiment, architecture: 'resnet19' } }),
    ],
    ['image_size', lab({ experiment: { ...emptyLab('x', 'x').experiment, architecture: 'inception_v3' } })],
    ['unknown_sync', lab({ experiment: { ...emptyLab('x', 'x').experiment, sync: 'powersgd:0' } })],
    ['period_above_epoch', lab({ experiment: { ...emptyLab('x', 'x').experiment, sync: 'local:100000' } })],
    [
      'data_path_missing',
      lab({ experiment: { ...emptyLab('x', 'x').experiment, data: { type: 'folder', path: '' } } }),
    ],
    [
      'data_path_relative',
      lab({ experiment: { ...emptyLab('x', 'x').experiment, data: { type: 'folder', path: 'data' } } }),
    ],
    [
      'samples_below_ranks',
      lab({
        experiment: {
          ...emptyLab('x', 'x').experiment,
          processesPerNode: 6,
          data: { type: 'shapes', train: 10, validation: 10, size: 32, seed: 1 },
        },
      }),
    ],
    ['batch_below_ranks', lab({ experiment: { ...emptyLab('x', 'x').experiment, batchSize: 1 } })],
  ])('reports %s as an error with its place', (code, document) => {
    const found = checkLab(document).find((issue) => issue.code === code);
    expect(found).toMatchObject({ severity: 'error' });
    expect(found!.path.length).toBeGreaterThan(0);
  });
});
