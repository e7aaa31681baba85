import { describe, expect, it } from 'vitest';
import { Experiment, defaultExperiment } from '../lab/lab.ts';
import {
  choiceValues,
  comparedSettings,
  excludedSettings,
  fieldLines,
  isDefault,
  settingArguments,
  settingRow,
  settingsOf,
  sweptSettings,
  trainingSettings,
} from './index.ts';

const plain = settingsOf(defaultExperiment());
const optional = trainingSettings.filter((name) => settingRow(name).optional === true);

describe('the table of training settings', () => {
  it.each(trainingSettings)(
    '%s has a default that its schema accepts, and texts in both languages',
    (name) => {
      const row = settingRow(name);
      expect(row.schema.safeParse(row.default).success).toBe(true);
      expect(Experiment.shape[name].safeParse(undefined).success).toBe(row.optional === true);
      const { en, 'zh-CN': zh } = row.words;
      expect(Object.keys(zh)).toEqual(Object.keys(en));
      expect(Object.keys(zh.choices ?? {})).toEqual(Object.keys(en.choices ?? {}));
      const named =
        row.kind === 'switch' ? ['off', 'on'] : row.kind === 'choice' ? choiceValues(row).map(String) : [];
      expect(Object.keys(en.choices ?? {}).sort()).toEqual([...named].sort());
    },
  );

  it('has every label, flag and short name once', () => {
    const once = (values: readonly string[]): void => expect(new Set(values).size).toBe(values.length);
    const rows = trainingSettings.map((name) => settingRow(name));
    once(rows.map(({ words }) => words.en.label));
    once(rows.map(({ words }) => words['zh-CN'].label));
    once(rows.flatMap(({ flag }) => flag ?? []));
    once(rows.flatMap(({ short }) => (short === '' ? [] : short)));
  });

  it('defines which settings are swept, compared and shown', () => {
    expect(sweptSettings).toContain('labelSmoothing');
    expect(sweptSettings).not.toContain('pretrained');
    expect(comparedSettings).not.toContain('keepEvery');
    expect(fieldLines('basic')[0]).toEqual(['epochs', 'batchSize']);
    for (const line of [...fieldLines('basic'), ...fieldLines('more')]) {
      expect(line.length === 1 || line.every((name) => settingRow(name).field.half), line.join()).toBe(true);
    }
    const own = trainingSettings.filter((name) => settingRow(name).field.section === 'own');
    expect([...fieldLines('basic'), ...fieldLines('more')].flat().length).toBe(
      trainingSettings.length - own.length,
    );
  });
});

describe('the arguments of settings', () => {
  it('contain the required ones, and the others if they are not the default', () => {
    expect(settingArguments(plain).join(' ')).toBe(
      '-a resnet18 --sync allreduce --epochs 6 -b 96 --lr 0.02 --momentum 0.9 --wd 0.0001 --step-size 30 --gamma 0.1 --seed 1 --dist-backend auto -j 1',
    );
    const more = settingArguments({
      ...plain,
      ...{ optimizer: 'adamw', labelSmoothing: 0.1, accumulate: 4, channelsLast: 'auto', inputChannels: 1 },
      ...{ pretrained: ' /data/r18.pth ', modulePrefix: 'auto', keepEvery: 2, parallel: 'none' },
    }).join(' ');
    for (const part of [
      '--optimizer adamw',
      '--label-smoothing 0.1',
      '--accumulate 4',
      '--channels-last auto --',
      '--input-channels 1',
      '--pretrained /data/r18.pth',
      '--module-prefix auto',
      '--keep-every 2',
      '--parallel none',
    ])
      expect(more).toContain(part);
  });

  it('omit an optional setting with its default', () => {
    for (const name of optional) expect(isDefault(name, settingRow(name).default), name).toBe(true);
    expect(settingArguments(settingsOf({ ...defaultExperiment(), pretrained: '', amp: 'off' }))).toEqual(
      settingArguments(plain),
    );
  });

  it('accept settings of earlier labs', () => {
    const { channelsLast } = Experiment.shape;
    expect([true, false, undefined, 'auto'].map((value) => channelsLast.parse(value))).toEqual([
      'on',
      'off',
      undefined,
      'auto',
    ]);
    expect(channelsLast.safeParse('sometimes').success).toBe(false);
  });

  it('refuse parameter names that would be options', () => {
    expect(Experiment.shape.freeze.safeParse('layer1,layer2.0').success).toBe(true);
    expect(Experiment.shape.freeze.safeParse('--help').success).toBe(false);
  });
});

describe('exclusions of settings', () => {
  it.each([
    [{ freezeBatchNorm: true }, ['nothing_frozen']],
    [{ freeze: 'layer1,backbone', backboneLearningRate: 0.1 }, ['backbone_frozen']],
    [{ freeze: 'layer1', freezeBatchNorm: true, backboneLearningRate: 0.1 }, []],
    [{ amp: 'fp16', sync: 'powersgd:2' }, ['fp16_remembers']],
    [{ amp: 'fp16', sync: 'auto' }, []],
    [{ syncBatchNorm: true, sync: 'auto' }, []],
    [{ amp: 'fp16', sync: 'fp16' }, []],
    [{ syncBatchNorm: true, sync: 'local:8' }, ['batch_norm_waits']],
    [{ syncBatchNorm: true, sync: 'powersgd:2' }, []],
  ] as const)('%j: %j', (change, codes) =>
    expect(excludedSettings({ ...plain, ...change }).map(({ code }) => code)).toEqual(codes),
  );
});
