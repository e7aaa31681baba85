import { describe, expect, it } from 'vitest';
import { defaultExperiment } from '../lab/lab.ts';
import { differing, settingOf, usualSetting, type Told } from './run-settings.ts';

const told = (change: Partial<Told['experiment']> = {}, worldSize = 3): Told => ({
  experiment: { ...defaultExperiment(), ...change },
  nodes: 3,
  worldSize,
});

describe('settings of runs', () => {
  it('differ where one of the runs has another value', () => {
    const runs = [told(), told({ learningRate: 0.1 }), told({ seed: 2 }, 6)];
    expect([...differing(runs)].sort()).toEqual(['learningRate', 'seed', 'worldSize']);
    expect(differing([told(), told()]).size).toBe(0);
    expect(differing([]).size).toBe(0);
  });

  it('have a usual value, from which the others stand out', () => {
    const runs = [told({ batchSize: 16 }), told({ batchSize: 32 }), told({ batchSize: 32 })];
    expect(usualSetting(runs, 'batchSize')).toBe(32);
    expect(usualSetting([], 'batchSize')).toBeUndefined();
  });

  it('tell data sets apart by what they are, and pictures by their size', () => {
    const drawn = told();
    const folder = told({ data: { type: 'folder', path: '/data/imagenet' } });
    expect(settingOf(drawn, 'data')).toBe('shapes 2000/400 #1');
    expect(settingOf(folder, 'data')).toBe('/data/imagenet');
    expect(settingOf(folder, 'imageSize')).toBe(224);
    expect([...differing([drawn, folder])]).toEqual(['data', 'imageSize']);
  });
});
