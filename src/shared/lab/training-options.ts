/**
 * What an experiment may say of its training beside the numbers that every one has: the trainer's own options. Each may be
 * absent, which is what the trainer does without it. Pure.
 */
import { z } from 'zod';
import { commandWord } from '../base/plain-text.ts';
import { parseSyncMode } from './sync-mode.ts';

export const TrainingOptions = z.object({
  optimizer: z.enum(['sgd', 'adam', 'adamw']).optional(),
  scheduler: z.enum(['step', 'cosine', 'none']).optional(),
  /** Epochs in which the rate grows to the learning rate; the schedule begins after them. */
  warmupEpochs: z.number().int().min(0).max(100_000).optional(),
  labelSmoothing: z.number().min(0).max(0.99).optional(),
  /** Parts that a rank computes its share of a step's pictures in: the memory of one part. */
  accumulate: z.number().int().min(1).max(1024).optional(),
  /** Mixed precision; fp16 on GPUs alone. */
  amp: z.enum(['off', 'bf16', 'fp16']).optional(),
  channelsLast: z.boolean().optional(),
  /** Large JPEGs are decoded at a part of their size: faster, and not PIL’s pixels to the bit. */
  draft: z.boolean().optional(),
  /** Batch norm over the pictures of all ranks. */
  syncBatchNorm: z.boolean().optional(),
  inputChannels: z.union([z.literal(1), z.literal(3)]).optional(),
  /** Parameters or modules that do not learn: `layer1,layer2.0`, or `backbone`. */
  freeze: z
    .string()
    .max(500)
    .regex(/^[\w.,]*$/)
    .optional(),
  /** Batch norms that `freeze` names keep their statistics as well (eval mode). */
  freezeBatchNorm: z.boolean().optional(),
  /** For fine-tuning: the learning rate of all but the last layer; 0: as the rest. */
  backboneLearningRate: z.number().min(0).max(1000).optional(),
  /** Weights to start from: an absolute path on the node of rank 0. */
  pretrained: commandWord(1024).optional(),
  /** Names in checkpoints begin with `module.`; `auto`: where there are several ranks, as main.py's under DistributedDataParallel. */
  modulePrefix: z.enum(['off', 'auto', 'on']).optional(),
});
export type TrainingOptions = z.infer<typeof TrainingOptions>;

const { shape } = TrainingOptions;
const Full = z.object({
  optimizer: shape.optimizer.default('sgd'),
  scheduler: shape.scheduler.default('step'),
  warmupEpochs: shape.warmupEpochs.default(0),
  labelSmoothing: shape.labelSmoothing.default(0),
  accumulate: shape.accumulate.default(1),
  amp: shape.amp.default('off'),
  channelsLast: shape.channelsLast.default(false),
  draft: shape.draft.default(false),
  syncBatchNorm: shape.syncBatchNorm.default(false),
  inputChannels: shape.inputChannels.default(3),
  freeze: shape.freeze.default(''),
  freezeBatchNorm: shape.freezeBatchNorm.default(false),
  backboneLearningRate: shape.backboneLearningRate.default(0),
  pretrained: shape.pretrained.default(''),
  modulePrefix: shape.modulePrefix.default('off'),
});

export const trainingOptionNames = Full.keyof().options;

/** All of it: where an experiment says nothing, what the trainer does by itself. */
export const trainingOf = (told: TrainingOptions): z.infer<typeof Full> => Full.parse(told);
export const usualTraining = trainingOf({});

/** The trainer's arguments for what is not as it would do by itself. */
export function trainingArguments(told: TrainingOptions): string[] {
  const full = trainingOf(told);
  const valued = (option: string, name: keyof TrainingOptions): string[] => {
    const value = String(full[name]).trim();
    return value === String(usualTraining[name]) ? [] : [option, value];
  };
  return [
    ...valued('--optimizer', 'optimizer'),
    ...valued('--scheduler', 'scheduler'),
    ...valued('--warmup-epochs', 'warmupEpochs'),
    ...valued('--label-smoothing', 'labelSmoothing'),
    ...valued('--accumulate', 'accumulate'),
    ...valued('--amp', 'amp'),
    ...(full.channelsLast ? ['--channels-last'] : []),
    ...(full.draft ? ['--draft'] : []),
    ...(full.syncBatchNorm ? ['--sync-bn'] : []),
    ...valued('--input-channels', 'inputChannels'),
    ...valued('--freeze', 'freeze'),
    ...(full.freezeBatchNorm ? ['--freeze-bn'] : []),
    ...valued('--backbone-lr', 'backboneLearningRate'),
    ...valued('--pretrained', 'pretrained'),
    ...valued('--module-prefix', 'modulePrefix'),
  ];
}

/** What its freezing leaves nothing to do for, as native/options/combinations.cpp has it. */
export function againstFreezing(told: TrainingOptions): 'nothing_frozen' | 'backbone_frozen' | undefined {
  const { freeze, freezeBatchNorm, backboneLearningRate } = trainingOf(told);
  if (freezeBatchNorm && freeze === '') return 'nothing_frozen';
  if (backboneLearningRate > 0 && freeze.split(',').includes('backbone')) return 'backbone_frozen';
  return undefined;
}

/** What does not go with a way of synchronising, as native/options/combinations.cpp has it; `auto` may take local steps. */
export function againstSync(
  told: TrainingOptions,
  sync: string,
): 'fp16_remembers' | 'batch_norm_waits' | undefined {
  const mode = parseSyncMode(sync);
  if (mode === undefined) return undefined;
  if (told.amp === 'fp16' && !['allreduce', 'fp16', 'bf16'].includes(mode.kind)) return 'fp16_remembers';
  if (told.syncBatchNorm === true && ['auto', 'local', 'diloco'].includes(mode.kind))
    return 'batch_norm_waits';
  return undefined;
}
