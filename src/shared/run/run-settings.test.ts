import { describe, expect, it } from 'vitest';
import { defaultExperiment } from '../lab/lab.ts';
import {
  commonSetting,
  differing,
  hasSetting,
  isSeed,
  modesChosenApart,
  settingNamesOf,
  settingOf,
  type ConfiguredRun,
} from './run-settings.ts';

const configured = (change: Partial<ConfiguredRun['experiment']> = {}, worldSize = 3): ConfiguredRun => ({
  experiment: { ...defaultExperiment(), ...change },
  nodes: 3,
  worldSize,
});

describe('settings of runs', () => {
  it('differ if one of the runs has another value', () => {
    const runs = [configured(), configured({ learningRate: 0.1 }), configured({ seed: 2 }, 6)];
    expect([...differing(runs)].sort()).toEqual(['learningRate', 'seed', 'worldSize']);
    expect(differing([configured(), configured()]).size).toBe(0);
    expect(differing([]).size).toBe(0);
  });

  it('have a most frequent value, from which others differ', () => {
    const runs = [
      configured({ batchSize: 16 }),
      configured({ batchSize: 32 }),
      configured({ batchSize: 32 }),
    ];
    expect(commonSetting(runs, 'batchSize')).toBe(32);
    expect(commonSetting([], 'batchSize')).toBeUndefined();
  });

  it('distinguish data sets by their content, and images by their size', () => {
    const drawn = configured();
    const folder = configured({ data: { type: 'folder', path: '/data/imagenet' } });
    expect(settingOf(drawn, 'data')).toBe('shapes 2000/400 #1');
    expect(settingOf(folder, 'data')).toBe('/data/imagenet');
    expect(settingOf(folder, 'imageSize')).toBe(224);
    expect([...differing([drawn, folder])]).toEqual(['data', 'imageSize']);
  });

  it('say that automatic synchronisation chose different modes for compared runs', () => {
    const chosen = { estimate: { asked: 'auto' } };
    const first = { ...configured({ sync: 'allreduce' }), ...chosen };
    const second = { ...configured({ sync: 'diloco:8', learningRate: 0.1 }), ...chosen };
    expect(modesChosenApart([first, second])).toEqual(['allreduce', 'diloco:8']);
    expect(modesChosenApart([first, first])).toEqual([]);
    // Chosen by the user: a comparison of modes is what is wanted.
    expect(modesChosenApart([configured({ sync: 'fp16' }), configured({ sync: 'bf16' })])).toEqual([]);
  });
});

describe('settings of own scripts', () => {
  const scripted = (args: string, change: Partial<ConfiguredRun> = {}): ConfiguredRun => ({
    ...configured({
      script: { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: args },
      runtime: { type: 'wheels', torch: '2.9.1' },
    }),
    ...change,
  });
  const code = { hash: '0123456789abcdef', files: 2, bytes: 10, commit: 'c0ffee'.repeat(6), changed: 0 };

  it('are the options of their arguments, each by itself; the trainer’s settings say nothing of them', () => {
    const runs = [scripted('data --lr 0.1 --amp'), scripted('data --lr=1e-2 -j 4')];
    expect([...differing(runs)]).toEqual(['--lr', '--amp', '-j']);
    expect(runs.map((run) => settingOf(run, '--lr'))).toEqual([0.1, 0.01]);
    expect(runs.map((run) => settingOf(run, '--amp'))).toEqual(['on', '–']);
    expect(runs.map((run) => settingOf(run, 'batchSize'))).toEqual(['–', '–']);
    expect(settingOf(scripted(''), 'runtime')).toBe('wheels torch 2.9.1');
    expect([...differing([scripted('one --lr 1'), scripted('two --lr 1')])]).toEqual(['arguments']);
    expect(hasSetting(scripted(''), 'sync')).toBe(false);
    expect(settingNamesOf(runs)).not.toContain('batchSize');
  });

  it('have a common value of what is compared, and all numbers of an option', () => {
    const runs = ['--seed 1 a', '--seed 2 a', 'b --seed 3'].map((words) => scripted(words));
    expect(commonSetting(runs, 'arguments')).toBe('a');
    expect(settingOf(scripted('--betas 0.9 -5e-1 --x=1 2 name'), '--betas')).toBe('0.9 -5e-1');
    expect(settingOf(scripted('--lr 0.1 resnet'), '--lr')).toBe(0.1);
  });

  it('name the commit of their code, and its content where it differs from the commit', () => {
    const [clean, changed, none] = [code, { ...code, changed: 1 }, { ...code, commit: undefined }].map(
      (one) => scripted('', { code: one }),
    );
    const words = [clean, changed, none].map((run) => settingOf(run ?? scripted(''), 'code'));
    expect(words).toEqual(['c0ffeec0ff', 'c0ffeec0ff + 0123456789abcdef', '0123456789abcdef']);
  });

  it('beside a trainer’s run differ in the script, not in what only one of them can have', () => {
    const both = [configured(), scripted('--lr 0.1')];
    expect([...differing(both)]).toEqual(['script', 'runtime']);
    expect(commonSetting(both, 'batchSize')).toBe(configured().experiment.batchSize);
    expect(settingOf(configured(), 'script')).toBe('–');
  });

  it('have a seed by several names', () => {
    expect((['seed', '--seed', '-seed', '--random-seed', '--manual_seed'] as const).map(isSeed)).toEqual([
      ...Array.from({ length: 5 }, () => true),
    ]);
    expect(isSeed('--seeds')).toBe(false);
  });
});
