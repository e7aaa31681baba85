import { describe, expect, it } from 'vitest';
import { emptyLab, type Experiment, type LabDocument } from '../../../shared/lab/lab.ts';
import { changedLab, newRun } from './new-run.ts';
import { planRun } from './plan.ts';
import { sweepRecords } from './sweep.ts';
import { sweptName, type Repeated } from './sweep-name.ts';

/** The names of a sweep's runs; of those that are stored before them only the names count. */
async function namesOf(
  lab: LabDocument,
  changes: readonly Partial<Experiment>[],
  repeats?: Repeated,
  checkpoint?: { file: 'checkpoint.pth.tar'; epoch: number },
): Promise<string[]> {
  const labs = changes.map((change) => changedLab(lab, sweptName(lab, repeats), change));
  const records = await sweepRecords({ lab, labs, changes, repeats, checkpoint, stored: [] }, (one) =>
    Promise.resolve(newRun(one, planRun(one, known), 1e9)),
  );
  return records.map(({ name }) => name);
}
const known = { localCpus: 2, compute: { seconds: 1, runId: 'r', runName: 'Run' } };
const rates = [{ learningRate: 0.1 }, { learningRate: 0.2 }];

describe('the runs of a sweep are named by what distinguishes them', () => {
  it('of a script by its options, also where its arguments are long and begin alike', async () => {
    const common =
      '--data-path /datasets/imagenet/ILSVRC2012 --model vit_large_patch16_224 --opt adamw --batch 256';
    const of = (words: string): Partial<Experiment> => ({
      script: { source: { type: 'folder', path: '/s' }, file: 'train.py', arguments: words },
    });
    const lab = {
      ...emptyLab('l', 'Lab'),
      experiment: { ...emptyLab('l', 'Lab').experiment, ...of(common) },
    };
    const rate = [1, 2].map((i) => of(`${common} --lr 0.00${i}`));
    expect(await namesOf(lab, rate)).toEqual(['Lab · --lr 0.001', 'Lab · --lr 0.002']);
    expect(await namesOf(lab, rate.slice(0, 1))).toEqual(['Lab · --lr 0.001']);
    expect(await namesOf(lab, ['lr=1 fast', 'lr=2 fast'].map(of))).toEqual([
      'Lab · lr=1 fast',
      'Lab · lr=2 fast',
    ]);
    const repeated = { id: 'r', name: 'Lab · --lr 0.001', origin: { sweep: 's' } };
    const run = { ...lab, experiment: { ...lab.experiment, ...rate[0] } };
    expect(await namesOf(run, rate.slice(1), repeated)).toEqual(['Lab · --lr 0.002']);
    expect(await namesOf(run, [of(`${common} --lr 0.001 --wd 1`)], repeated)).toEqual([
      'Lab · --lr 0.001, --wd 1',
    ]);
  });

  it('and keep that part where the lab’s name is long', async () => {
    const [first = '', second = ''] = await namesOf(emptyLab('l', 'N'.repeat(118)), rates);
    expect(first).toMatch(/^N+… · lr 0\.1$/);
    expect(second).toMatch(/^N+… · lr 0\.2$/);
    const [half = ''] = await namesOf(emptyLab('l', '😀'.repeat(60)), rates);
    expect(half).toMatch(/^😀+… · lr 0\.1$/u);
    for (const name of [first, second, half]) expect(name.length).toBeLessThanOrEqual(120);
  });

  it('behind the whole name of the lab', async () => {
    expect(await namesOf(emptyLab('l', 'ResNet · CIFAR'), rates)).toEqual([
      'ResNet · CIFAR · lr 0.1',
      'ResNet · CIFAR · lr 0.2',
    ]);
  });
});

describe('a repeated run', () => {
  const swept = (learningRate: number, name = 'Lab'): LabDocument => {
    const lab = emptyLab('l', name);
    return { ...lab, experiment: { ...lab.experiment, learningRate } };
  };
  const repeated = (name: string): Repeated => ({ id: 'r', name, origin: { sweep: 's' } });

  it('keeps what distinguished it, but for the setting that changes', async () => {
    const [lab, run] = [swept(0.05), repeated('Lab · lr 0.05 · 2')];
    expect(await namesOf(lab, [{ batchSize: 128 }], run)).toEqual(['Lab · lr 0.05, batch 128']);
    expect(await namesOf(lab, [{ learningRate: 0.2 }], run)).toEqual(['Lab · lr 0.2']);
  });

  it('of an earlier version has its own name in its lab', async () => {
    const lab = swept(0.05, 'Lab · lr 0.05');
    expect(await namesOf(lab, [{ batchSize: 128 }], repeated('Lab · lr 0.05'))).toEqual([
      'Lab · lr 0.05, batch 128',
    ]);
    const started = { id: 'r', name: 'ResNet · CIFAR' };
    expect(await namesOf(swept(0.05, 'ResNet · CIFAR'), rates.slice(0, 1), started)).toEqual([
      'ResNet · CIFAR · lr 0.1',
    ]);
  });

  it('with a name of the user’s is repeated under that name, and says from which epoch', async () => {
    const from = { file: 'checkpoint.pth.tar', epoch: 3 } as const;
    expect(await namesOf(swept(0.05), [{ epochs: 9 }], repeated('Mine'), from)).toEqual([
      'Mine · from epoch 3, epochs 9',
    ]);
  });
});
