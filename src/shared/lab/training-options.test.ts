import { describe, expect, it } from 'vitest';
import { againstFreezing, againstSync, TrainingOptions, trainingArguments } from './training-options.ts';

describe('what an experiment says of its training', () => {
  it('becomes the trainer’s arguments, and nothing where nothing is said', () => {
    expect(trainingArguments({})).toEqual([]);
    expect(
      trainingArguments({
        ...{ optimizer: 'adamw', scheduler: 'cosine', warmupEpochs: 2, labelSmoothing: 0.1, accumulate: 4 },
        ...{ amp: 'bf16', channelsLast: true, draft: true, syncBatchNorm: true, inputChannels: 1 },
        ...{ freeze: 'layer1', freezeBatchNorm: true, backboneLearningRate: 0.001 },
        ...{ pretrained: ' /data/r18.pth ', modulePrefix: 'auto' },
      }),
    ).toEqual([
      ...[
        '--optimizer',
        'adamw',
        '--scheduler',
        'cosine',
        '--warmup-epochs',
        '2',
        '--label-smoothing',
        '0.1',
      ],
      ...[
        '--accumulate',
        '4',
        '--amp',
        'bf16',
        '--channels-last',
        '--draft',
        '--sync-bn',
        '--input-channels',
        '1',
      ],
      ...['--freeze', 'layer1', '--freeze-bn', '--backbone-lr', '0.001', '--pretrained', '/data/r18.pth'],
      ...['--module-prefix', 'auto'],
    ]);
  });

  it('asks for nothing where it says what the trainer does anyway', () => {
    const usual = {
      warmupEpochs: 0,
      labelSmoothing: 0,
      accumulate: 1,
      amp: 'off',
      inputChannels: 3,
    } as const;
    expect(
      trainingArguments({ ...usual, channelsLast: false, syncBatchNorm: false, freeze: '', pretrained: '' }),
    ).toEqual([]);
  });

  it('takes no words for names of parameters that would be options', () => {
    expect(TrainingOptions.safeParse({ freeze: 'layer1,layer2.0' }).success).toBe(true);
    expect(TrainingOptions.safeParse({ freeze: '--help' }).success).toBe(false);
  });

  it('refuses what freezing leaves nothing to do for', () => {
    expect(againstFreezing({ freezeBatchNorm: true })).toBe('nothing_frozen');
    expect(againstFreezing({ freeze: 'layer1,backbone', backboneLearningRate: 0.1 })).toBe('backbone_frozen');
    expect(
      againstFreezing({ freeze: 'layer1', freezeBatchNorm: true, backboneLearningRate: 0.1 }),
    ).toBeUndefined();
  });

  it('does not go with every way of synchronising', () => {
    expect(againstSync({ amp: 'fp16' }, 'powersgd:2')).toBe('fp16_remembers');
    expect(againstSync({ amp: 'fp16' }, 'auto')).toBe('fp16_remembers');
    expect(againstSync({ amp: 'fp16' }, 'fp16')).toBeUndefined();
    expect(againstSync({ syncBatchNorm: true }, 'local:8')).toBe('batch_norm_waits');
    expect(againstSync({ syncBatchNorm: true }, 'powersgd:2')).toBeUndefined();
  });
});
