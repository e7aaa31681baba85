/**
 * The training settings of an experiment, one row each. The lab's schema, the defaults, the trainer's arguments, the
 * labels in both languages, the inspector's fields, sweeps and the comparison of runs are all derived from these rows
 * (derived.ts). Their order is the order of fields, columns and arguments.
 */
import * as z from 'zod';
import { commandWord, oneLine } from '../base/plain-text.ts';
import { parseSyncMode, remembersGradients } from './sync-mode.ts';
import type { SettingRow } from './row.ts';

const maxEpochs = 100_000;

export const settingsTable = {
  architecture: {
    kind: 'other',
    schema: oneLine(60),
    default: 'resnet18',
    flag: '-a',
    short: '',
    words: { en: { label: 'Architecture' }, 'zh-CN': { label: '网络结构' } },
    swept: true,
    field: { section: 'own' },
  },
  /** As in the trainer's `--sync`, see sync-mode.ts. */
  sync: {
    kind: 'other',
    schema: oneLine(120),
    default: 'allreduce',
    flag: '--sync',
    short: '',
    words: { en: { label: 'Synchronisation' }, 'zh-CN': { label: '同步方式' } },
    swept: true,
    field: { section: 'own' },
  },
  epochs: {
    kind: 'number',
    schema: z.number().int().min(1).max(maxEpochs),
    default: 6,
    flag: '--epochs',
    short: 'epochs',
    words: { en: { label: 'Epochs' }, 'zh-CN': { label: '轮数' } },
    swept: true,
    field: { section: 'basic', half: true },
  },
  /** Images per step over all ranks together; the trainer's option is each rank's share. */
  batchSize: {
    kind: 'number',
    schema: z.number().int().min(1).max(1_000_000),
    default: 96,
    flag: '-b',
    short: 'batch',
    words: { en: { label: 'Batch size' }, 'zh-CN': { label: '批大小' } },
    swept: true,
    field: { section: 'basic', half: true },
  },
  optimizer: {
    kind: 'choice',
    schema: z.enum(['sgd', 'adam', 'adamw']),
    default: 'sgd',
    optional: true,
    flag: '--optimizer',
    short: '',
    words: {
      en: { label: 'Optimizer', choices: { sgd: 'SGD', adam: 'Adam', adamw: 'AdamW' } },
      'zh-CN': { label: '优化器', choices: { sgd: 'SGD', adam: 'Adam', adamw: 'AdamW' } },
    },
    swept: true,
    field: { section: 'basic', half: true },
  },
  learningRate: {
    kind: 'number',
    schema: z.number().positive().max(1000),
    default: 0.02,
    flag: '--lr',
    short: 'lr',
    words: { en: { label: 'Learning rate' }, 'zh-CN': { label: '学习率' } },
    swept: true,
    field: { section: 'basic', half: true },
  },
  momentum: {
    kind: 'number',
    schema: z.number().min(0).max(1),
    default: 0.9,
    flag: '--momentum',
    short: 'momentum',
    words: { en: { label: 'Momentum' }, 'zh-CN': { label: '动量' } },
    swept: true,
    field: { section: 'basic', half: true, shown: ({ optimizer }) => optimizer === 'sgd' },
  },
  weightDecay: {
    kind: 'number',
    schema: z.number().min(0).max(1),
    default: 1e-4,
    flag: '--wd',
    short: 'wd',
    words: { en: { label: 'Weight decay' }, 'zh-CN': { label: '权重衰减' } },
    swept: true,
    field: { section: 'basic', half: true },
  },
  scheduler: {
    kind: 'choice',
    schema: z.enum(['step', 'cosine', 'none']),
    default: 'step',
    optional: true,
    flag: '--scheduler',
    short: 'schedule',
    words: {
      en: {
        label: 'Learning-rate schedule',
        choices: { step: 'Step decay (StepLR)', cosine: 'Cosine annealing to 0', none: 'Constant' },
      },
      'zh-CN': {
        label: '学习率调度',
        choices: { step: '阶梯衰减（StepLR）', cosine: '余弦退火至 0', none: '恒定' },
      },
    },
    swept: true,
    field: { section: 'basic' },
  },
  /** StepLR: every `stepSize` epochs the learning rate is multiplied by `gamma`. */
  stepSize: {
    kind: 'number',
    schema: z.number().int().min(1).max(maxEpochs),
    default: 30,
    flag: '--step-size',
    short: 'step-size',
    words: { en: { label: 'Step size' }, 'zh-CN': { label: '衰减间隔' } },
    swept: true,
    field: {
      section: 'basic',
      half: true,
      unit: 'epochs',
      shown: ({ scheduler }) => scheduler === 'step',
    },
  },
  gamma: {
    kind: 'number',
    schema: z.number().positive().max(1),
    default: 0.1,
    flag: '--gamma',
    short: 'gamma',
    words: { en: { label: 'Gamma' }, 'zh-CN': { label: '衰减系数' } },
    swept: true,
    field: { section: 'basic', half: true, shown: ({ scheduler }) => scheduler === 'step' },
  },
  /** Epochs in which the learning rate grows to its value; the schedule begins after them. */
  warmupEpochs: {
    kind: 'number',
    schema: z.number().int().min(0).max(maxEpochs),
    default: 0,
    optional: true,
    flag: '--warmup-epochs',
    short: 'warmup',
    words: { en: { label: 'Warm-up' }, 'zh-CN': { label: '预热' } },
    swept: true,
    field: { section: 'basic', half: true, unit: 'epochs' },
  },
  seed: {
    kind: 'number',
    schema: z.number().int().min(0).max(4_294_967_295),
    default: 1,
    flag: '--seed',
    short: 'seed',
    words: { en: { label: 'Seed' }, 'zh-CN': { label: '随机种子' } },
    swept: true,
    field: { section: 'basic', half: true },
  },
  keepEvery: {
    kind: 'number',
    schema: z.number().int().min(0).max(maxEpochs),
    default: 0,
    optional: true,
    flag: '--keep-every',
    short: 'keep-every',
    words: {
      en: {
        label: 'Keep a checkpoint every',
        help: '0: only the newest and the best. Each checkpoint that is kept takes disk space on rank 0’s node.',
      },
      'zh-CN': {
        label: '每隔几轮保留检查点',
        help: '0：只保留最新和最佳。每保留一个都会占用 rank 0 节点上一个检查点的空间。',
      },
    },
    notCompared: true,
    field: { section: 'basic', unit: 'epochs' },
  },
  /** Seconds; without a value, a run that goes on or restarts by itself chooses one (launch/checkpoint-interval.ts). */
  checkpointEvery: {
    kind: 'number',
    schema: z.number().min(0).max(86_400),
    default: 0,
    optional: true,
    flag: '--checkpoint-every',
    short: 'checkpoint-every',
    words: {
      en: {
        label: 'Also save a checkpoint every',
        help: '0: at the end of each epoch only. A run that goes on or restarts when a rank is lost chooses an interval by itself while this is not set.',
      },
      'zh-CN': {
        label: '另外每隔一段时间保存检查点',
        help: '0：仅在每轮结束时保存。rank 失联时会继续或重启的运行在未设置此项时自行选择间隔。',
      },
    },
    notCompared: true,
    field: { section: 'basic', unit: 'seconds' },
  },
  labelSmoothing: {
    kind: 'number',
    schema: z.number().min(0).max(0.99),
    default: 0,
    optional: true,
    flag: '--label-smoothing',
    short: 'label-smoothing',
    words: { en: { label: 'Label smoothing' }, 'zh-CN': { label: '标签平滑' } },
    swept: true,
    field: { section: 'more', half: true },
  },
  inputChannels: {
    kind: 'choice',
    schema: z.literal([3, 1]),
    default: 3,
    optional: true,
    flag: '--input-channels',
    short: 'input-channels',
    words: {
      en: { label: 'Input channels', choices: { 3: '3: colour', 1: '1: greyscale' } },
      'zh-CN': { label: '输入通道', choices: { 3: '3：彩色', 1: '1：灰度' } },
    },
    field: { section: 'more', half: true },
  },
  /** Mixed precision; fp16 on GPUs alone. */
  amp: {
    kind: 'choice',
    schema: z.enum(['off', 'bf16', 'fp16']),
    default: 'off',
    optional: true,
    flag: '--amp',
    short: 'amp',
    words: {
      en: {
        label: 'Mixed precision',
        choices: { off: 'Off (fp32)', bf16: 'bf16', fp16: 'fp16 (GPUs only)' },
      },
      'zh-CN': { label: '混合精度', choices: { off: '关闭（fp32）', bf16: 'bf16', fp16: 'fp16（仅 GPU）' } },
    },
    swept: true,
    field: { section: 'more' },
    exclusions: [
      {
        code: 'fp16_remembers',
        // Its scaler skips steps, but these modes keep their gradients; `auto` does not become one of them then.
        excluded: ({ amp, sync }) => {
          const mode = parseSyncMode(sync);
          return amp === 'fp16' && mode !== undefined && remembersGradients(mode);
        },
      },
    ],
  },
  /** Gradient accumulation: number of micro-batches of a rank's batch; only one needs memory at a time. */
  accumulate: {
    kind: 'number',
    schema: z.number().int().min(1).max(1024),
    default: 1,
    optional: true,
    flag: '--accumulate',
    short: 'accumulate',
    words: {
      en: {
        label: 'Gradient accumulation',
        help: 'Each rank computes its share of a batch in this many micro-batches, then takes one step: for batches that do not fit in memory.',
      },
      'zh-CN': {
        label: '梯度累积',
        help: '每个 rank 将自己那部分批次分成这么多个微批次依次计算，再更新一次参数：用于内存放不下的批次。',
      },
    },
    swept: true,
    field: { section: 'more' },
  },
  channelsLast: {
    kind: 'choice',
    schema: z.enum(['off', 'on', 'auto']),
    // Before `auto` existed, labs had a boolean.
    earlier: (value) => (value === true ? 'on' : value === false ? 'off' : value),
    default: 'off',
    optional: true,
    flag: '--channels-last',
    short: 'channels-last',
    words: {
      en: {
        label: 'Memory format',
        help: 'Channels last is faster for many convolutional networks. The order changes the last bits of the results.',
        choices: {
          off: 'Contiguous, PyTorch’s default',
          on: 'Channels last',
          auto: 'The faster one, measured at start',
        },
      },
      'zh-CN': {
        label: '内存格式',
        help: '对许多卷积网络而言，channels last 更快。内存格式会影响结果的最后几位。',
        choices: {
          off: '连续（PyTorch 默认）',
          on: '通道在后（channels last）',
          auto: '启动时测量，取更快者',
        },
      },
    },
    field: { section: 'more' },
  },
  /** Large JPEGs are decoded at a reduced size: faster, but pixels differ slightly from PIL's. */
  draft: {
    kind: 'switch',
    schema: z.boolean(),
    default: false,
    optional: true,
    flag: '--draft',
    short: 'draft',
    words: {
      en: {
        label: 'Decoding of large JPEGs',
        choices: {
          off: 'At full size: PIL’s pixels',
          on: 'At 1/2, 1/4 or 1/8: faster, nearly PIL’s pixels',
        },
      },
      'zh-CN': {
        label: '大尺寸 JPEG 的解码',
        choices: {
          off: '完整解码：与 PIL 像素一致',
          on: '按 1/2、1/4、1/8 解码：更快，近似 PIL',
        },
      },
    },
    field: { section: 'more' },
  },
  syncBatchNorm: {
    kind: 'switch',
    schema: z.boolean(),
    default: false,
    optional: true,
    flag: '--sync-bn',
    short: 'sync-bn',
    words: {
      en: {
        label: 'Batch norm statistics',
        choices: { off: 'Per rank', on: 'Over all ranks, every step (SyncBatchNorm)' },
      },
      'zh-CN': {
        label: '批归一化统计量',
        choices: { off: '各 rank 自行计算', on: '每步跨所有 rank 计算（SyncBatchNorm）' },
      },
    },
    field: { section: 'more' },
    exclusions: [
      {
        code: 'batch_norm_waits',
        // Every step would wait for all ranks, which local steps avoid; `auto` does not choose them then.
        excluded: ({ syncBatchNorm, sync }) => {
          const mode = parseSyncMode(sync);
          return syncBatchNorm && mode?.outer === true;
        },
      },
    ],
  },
  /** Initial weights: an absolute path on the node of rank 0. */
  pretrained: {
    kind: 'text',
    schema: commandWord(1024),
    default: '',
    optional: true,
    flag: '--pretrained',
    short: 'pretrained',
    words: {
      en: {
        label: 'Initial weights',
        help: 'For fine-tuning: a .pth or .pth.tar on the node of rank 0, as torchvision, PyTorch or Ringlab writes it. For other classes the last layer is initialised again.',
        none: 'none: train from scratch',
      },
      'zh-CN': {
        label: '初始权重',
        help: '用于迁移学习（微调）：rank 0 所在节点上的 .pth 或 .pth.tar 文件（torchvision、PyTorch 或 Ringlab 的格式）。类别数不同时，最后一层重新初始化。',
        none: '无：从头训练',
      },
    },
    field: { section: 'more' },
  },
  /**
   * Names in checkpoints begin with `module.`; `auto`: with several ranks, as in main.py under
   * DistributedDataParallel.
   */
  modulePrefix: {
    kind: 'choice',
    schema: z.enum(['off', 'auto', 'on']),
    default: 'off',
    optional: true,
    flag: '--module-prefix',
    short: 'module-prefix',
    words: {
      en: {
        label: 'Parameter names in checkpoints',
        help: 'A plain model takes torchvision’s names; main.py under DistributedDataParallel resumes only those with module. Ringlab reads both.',
        choices: {
          off: 'As torchvision’s',
          auto: 'As main.py’s: module. with several ranks',
          on: 'Always with module.',
        },
      },
      'zh-CN': {
        label: '检查点中的参数名',
        help: '普通模型使用 torchvision 的参数名；DistributedDataParallel 下的 main.py 只能从带 module. 的检查点恢复。Ringlab 两种都能读取。',
        choices: {
          off: '与 torchvision 相同',
          auto: '与 main.py 相同：多个 rank 时加 module.',
          on: '始终加 module.',
        },
      },
    },
    field: { section: 'more' },
  },
  /** For fine-tuning: the learning rate of all but the last layer; 0: the same for all. */
  backboneLearningRate: {
    kind: 'number',
    schema: z.number().min(0).max(1000),
    default: 0,
    optional: true,
    flag: '--backbone-lr',
    short: 'backbone-lr',
    words: {
      en: {
        label: 'Backbone learning rate',
        help: 'For fine-tuning: the learning rate of all but the last layer. 0: the same for all layers.',
      },
      'zh-CN': {
        label: '主干学习率',
        help: '用于微调：除最后一层外的学习率，最后一层使用上面的学习率。0 表示全部相同。',
      },
    },
    swept: true,
    field: { section: 'more' },
    exclusions: [
      {
        code: 'backbone_frozen',
        excluded: ({ backboneLearningRate, freeze }) =>
          backboneLearningRate > 0 && freeze.split(',').includes('backbone'),
      },
    ],
  },
  /** Parameters or modules that are not trained: `layer1,layer2.0`, or `backbone`. */
  freeze: {
    kind: 'text',
    schema: z
      .string()
      .max(500)
      .regex(/^[\w.,]*$/),
    default: '',
    optional: true,
    flag: '--freeze',
    short: 'freeze',
    words: {
      en: {
        label: 'Frozen parameters',
        help: 'Names separated by commas, such as layer1,layer2.0; backbone: all but the last layer.',
        none: 'none: all parameters are trained',
      },
      'zh-CN': {
        label: '冻结的参数',
        help: '用逗号分隔的名称，如 layer1,layer2.0；backbone 表示除最后一层外全部。',
        none: '无：训练全部参数',
      },
    },
    field: { section: 'more' },
  },
  /** Batch norms that `freeze` names keep their statistics as well (eval mode). */
  freezeBatchNorm: {
    kind: 'switch',
    schema: z.boolean(),
    default: false,
    optional: true,
    flag: '--freeze-bn',
    short: 'freeze-bn',
    words: {
      en: {
        label: 'Frozen batch norm layers',
        choices: {
          off: 'Update running statistics',
          on: 'Keep running statistics (eval mode)',
        },
      },
      'zh-CN': {
        label: '冻结的批归一化层',
        choices: { off: '继续更新统计量（与 PyTorch 相同）', on: '保持统计量不变（eval 模式）' },
      },
    },
    field: { section: 'more', shown: ({ freeze, freezeBatchNorm }) => freeze !== '' || freezeBatchNorm },
    exclusions: [
      {
        code: 'nothing_frozen',
        excluded: ({ freezeBatchNorm, freeze }) => freezeBatchNorm && freeze === '',
      },
    ],
  },
  /** `auto`: nccl where every rank has a GPU and the trainer has NCCL, else gloo. */
  backend: {
    kind: 'other',
    schema: z.enum(['auto', 'gloo', 'nccl', 'mpi']),
    default: 'auto',
    flag: '--dist-backend',
    short: '',
    words: { en: { label: 'Backend' }, 'zh-CN': { label: '通信后端' } },
    field: { section: 'own' },
  },
  /** `auto`: one per GPU, and one on a node without. */
  processesPerNode: {
    kind: 'other',
    schema: z.union([z.literal('auto'), z.number().int().min(1).max(64)]),
    default: 'auto',
    short: 'processes',
    words: { en: { label: 'Processes per node' }, 'zh-CN': { label: '每节点进程数' } },
    swept: true,
    field: { section: 'own' },
  },
  /** Data loading threads of each process. */
  workers: {
    kind: 'number',
    schema: z.number().int().min(0).max(256),
    default: 1,
    flag: '-j',
    short: 'workers',
    words: { en: { label: 'Workers' }, 'zh-CN': { label: '加载线程' } },
    swept: true,
    field: { section: 'own' },
  },
  /**
   * `ddp`: ranks on all nodes. `dp`: one process on the first node, which splits each batch over its GPUs, or over two
   * replicas of the model on a CPU; `none`: one process that splits nothing.
   */
  parallel: {
    kind: 'choice',
    schema: z.enum(['ddp', 'dp', 'none']),
    default: 'ddp',
    optional: true,
    flag: '--parallel',
    short: 'parallel',
    words: {
      en: {
        label: 'Parallelism',
        choices: { ddp: 'DistributedDataParallel', dp: 'DataParallel', none: 'None' },
      },
      'zh-CN': {
        label: '并行方式',
        choices: { ddp: 'DistributedDataParallel', dp: 'DataParallel', none: '无' },
      },
    },
    swept: true,
    field: { section: 'own' },
  },
} as const satisfies Readonly<Record<string, SettingRow>>;
