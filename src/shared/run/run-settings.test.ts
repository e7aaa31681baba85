import { describe, expect, it } from 'vitest';
import { defaultExperiment } from '../lab/lab.ts';
import { differing, settingOf, commonSetting, modesChosenApart, type ConfiguredRun } from './run-settings.ts';

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

  it('tell that automatic synchronisation chose different modes for compared runs', () => {
    const chosen = { estimate: { asked: 'auto' } };
    const first = { ...configured({ sync: 'allreduce' }), ...chosen };
    const second = { ...configured({ sync: 'diloco:8', learningRate: 0.1 }), ...chosen };
    expect(modesChosenApart([first, second])).toEqual(['allreduce', 'diloco:8']);
    expect(modesChosenApart([first, first])).toEqual([]);
    // Chosen by the user: a comparison of modes is what is wanted.
    expect(modesChosenApart([configured({ sync: 'fp16' }), configured({ sync: 'bf16' })])).toEqual([]);
  });
});
