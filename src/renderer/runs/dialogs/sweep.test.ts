import { describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import { settingRow } from '../../../shared/settings/index.ts';
import { changesOf, choicesOf, parseValues, sweptNames, waysInParallel } from './sweep.ts';

describe('a sweep', () => {
  it('is every value of one setting with every value of the other', () => {
    expect(
      changesOf([
        { name: 'learningRate', text: '0.1, 0.05' },
        { name: 'batchSize', text: '32 64' },
      ]),
    ).toEqual([
      { learningRate: 0.1, batchSize: 32 },
      { learningRate: 0.1, batchSize: 64 },
      { learningRate: 0.05, batchSize: 32 },
      { learningRate: 0.05, batchSize: 64 },
    ]);
  });

  it('removes duplicates, and accepts Chinese commas', () => {
    expect(parseValues({ name: 'seed', text: '1，2, 2;3、1' })).toEqual({ ok: true, values: [1, 2, 3] });
  });

  it('keeps the commas of a synchronisation mode', () => {
    expect(parseValues({ name: 'sync', text: 'allreduce powersgd:2,fp16' })).toEqual({
      ok: true,
      values: ['allreduce', 'powersgd:2,fp16'],
    });
  });

  it.each([
    ['weightDecay', '0,0001', '0,0001'],
    ['backboneLearningRate', '0.1 0,0001', '0,0001'],
    ['momentum', '0.5; 0,1,0,2', '0,1'],
    ['learningRate', '0.1,1,5e-4', '1,5e-4'],
  ] as const)('refuses a %s of %j, which may be one value or two', (name, text, word) => {
    expect(parseValues({ name, text })).toEqual({ ok: false, word, isOneOrTwo: true });
  });

  it('refuses whole numbers that may be in thousands, as a field does', () => {
    expect(parseValues({ name: 'batchSize', text: '10.000' })).toEqual({ ok: false, word: '10.000' });
    expect(parseValues({ name: 'epochs', text: '5 10.000' })).toEqual({ ok: false, word: '10.000' });
  });

  it.each([
    ['batchSize', '1,024', '1,024'],
    ['batchSize', '32 1,024, 2,048', '1,024'],
    ['batchSize', '1,024,2,048', '1,024'],
    ['batchSize', '64,128', '64,128'],
    ['batchSize', '１,０２４', '1,024'],
    ['seed', '1，024', '1，024'],
    ['seed', '5,1,000,32', '1,000'],
  ] as const)('refuses a %s of %j, which may be in thousands', (name, text, word) => {
    expect(parseValues({ name, text })).toEqual({ ok: false, word, isOneOrTwo: true });
  });

  it.each([
    ['seed', '0,1,10', [0, 1, 10]],
    ['batchSize', '64，128 512', [64, 128, 512]],
    ['learningRate', '0.1,0.05', [0.1, 0.05]],
    ['learningRate', '1e-3,1e-4 5, 10', [0.001, 0.0001, 5, 10]],
    ['weightDecay', '0,0.0001', [0, 0.0001]],
    ['batchSize', '32,64,128', [32, 64, 128]],
    ['optimizer', 'sgd,adam', ['sgd', 'adam']],
  ] as const)(
    'separates the values of a %s by commas where these can be nothing else: %j',
    (name, text, values) => {
      expect(parseValues({ name, text })).toEqual({ ok: true, values });
    },
  );

  it.each([
    ['optimizer', 'AdamW, SGD adam', ['adamw', 'sgd', 'adam']],
    ['scheduler', 'Cosine annealing to 0, step decay (steplr) Constant', ['cosine', 'step', 'none']],
    ['scheduler', settingRow('scheduler').words['zh-CN'].choices?.step ?? '', ['step']],
    ['amp', 'fp16 (GPUs only) bf16 fp16', ['fp16', 'bf16']],
    ['parallel', 'DistributedDataParallel；DataParallel', ['ddp', 'dp']],
    ['processesPerNode', 'Auto ２ 4', ['auto', 2, 4]],
  ] as const)('takes the values of a %s by each of their names: %j', (name, text, values) => {
    expect(parseValues({ name, text })).toEqual({ ok: true, values });
  });

  it('lists what a choice can be', () => {
    expect(choicesOf('optimizer', 'en')).toEqual(['SGD', 'Adam', 'AdamW']);
    expect(choicesOf('batchSize', 'en')).toBeUndefined();
    for (const name of sweptNames)
      expect(parseValues({ name, text: choicesOf(name, 'zh-CN')?.join('、') ?? '' }).ok).toBe(
        choicesOf(name, 'zh-CN') !== undefined,
      );
  });

  it('names the text that is not a value', () => {
    expect(parseValues({ name: 'batchSize', text: '32 viele' })).toEqual({ ok: false, word: 'viele' });
    expect(parseValues({ name: 'batchSize', text: '1.5' })).toEqual({ ok: false, word: '1.5' });
    expect(parseValues({ name: 'architecture', text: 'resnet1800' })).toEqual({
      ok: false,
      word: 'resnet1800',
    });
    expect(parseValues({ name: 'processesPerNode', text: 'Auto 0x2' })).toEqual({ ok: false, word: '0x2' });
    expect(parseValues({ name: 'processesPerNode', text: '2⁴' })).toEqual({ ok: false, word: '2⁴' });
    expect(parseValues({ name: 'scheduler', text: 'cosine to 0' })).toEqual({ ok: false, word: 'to' });
    expect(parseValues({ name: 'sync', text: 'pigeon' })).toEqual({ ok: false, word: 'pigeon' });
    expect(parseValues({ name: 'gamma', text: ' ' })).toEqual({ ok: false, word: '' });
    expect(changesOf([{ name: 'gamma', text: '2' }])).toBeUndefined();
  });

  it('has a limited number of runs', () => {
    const text = Array.from({ length: 9 }, (_, seed) => seed).join(' ');
    expect(
      changesOf([
        { name: 'seed', text },
        { name: 'epochs', text: '1 2 3 4 5 6 7 8' },
      ]),
    ).toBeUndefined();
  });
});

describe('variants of parallelism', () => {
  const drawn = (nodes: number): LabDocument => ({
    ...emptyLab('lab', 'Lab'),
    nodes: Array.from({ length: nodes }, (_, index) => ({
      id: `n${index}`,
      name: `N${index}`,
      kind: 'cpu' as const,
      position: { x: 0, y: 0 },
      placement: defaultPlacement('cpu'),
      access: { type: 'local' as const },
    })),
  });

  it('are one process, DataParallel, the ranks as drawn, and these with four times the batch', () => {
    const lab = drawn(3);
    const batchSize = 4 * lab.experiment.batchSize;
    expect(waysInParallel(lab)).toEqual([
      { parallel: 'none' },
      { parallel: 'dp' },
      { parallel: 'ddp' },
      { parallel: 'ddp', batchSize },
    ]);
  });

  it('have two ranks if the drawing has only one, even if the lab is set to one process', () => {
    const lab = drawn(1);
    lab.experiment.parallel = 'dp';
    expect(waysInParallel(lab)[2]).toEqual({ parallel: 'ddp', processesPerNode: 2 });
  });
});
