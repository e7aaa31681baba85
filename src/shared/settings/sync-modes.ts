/**
 * The modes of synchronisation, one row each: the number after the colon, what is exchanged by default, and the texts
 * in both languages. native/PROTOCOL.md, 'Synchronisation', specifies them; sync-mode.ts parses them as
 * native/sync/mode.cpp does.
 */
import type { Language } from '../base/language.ts';

/** Compression of an average on the network, equal to native/sync/mode.h. */
export type Compression =
  'none' | 'fp16' | 'bf16' | 'int8' | 'int4' | 'sparse' | 'powersgd' | 'topk' | 'stream';

/** Limits of a number in a mode, and whether it is an integer. */
export interface Limits {
  readonly low: number;
  readonly high: number;
  readonly whole: boolean;
}
export const rankLimits: Limits = { low: 1, high: 64, whole: true };
export const fractionLimits: Limits = { low: 0.000_01, high: 0.5, whole: false };
export const stepLimits: Limits = { low: 1, high: 1_000_000, whole: true };

interface SyncWords {
  readonly label: string;
  readonly help: string;
  /** The label of the number after the colon. */
  readonly value?: string;
}

interface SyncModeRow {
  /** The mean gradient of every step, or after local steps the mean of the parameters' changes. */
  readonly averages: 'gradients' | 'outer';
  readonly compression: Compression;
  /** The number after the colon; `default` applies where it is absent, and is a field's initial value. */
  readonly value?: Limits & { readonly default: number; readonly needed?: true };
  /** Whether parts after commas may follow. */
  readonly parts: boolean;
  readonly outer?: { readonly learningRate: number; readonly momentum: number };
  readonly words: Readonly<Record<Language, SyncWords>>;
}

const syncModes = {
  /** Only in labs: auto-sync.ts replaces it by another mode when a run starts; the trainer never receives it. */
  auto: {
    averages: 'gradients',
    compression: 'none',
    parts: false,
    words: {
      en: {
        label: 'Automatic: what the links allow',
        help: 'Chosen at the start of a run from the drawn links: exact where they are fast enough.',
      },
      'zh-CN': { label: '自动：视链路而定', help: '运行开始时按所绘链路选择：链路够快时保持精确。' },
    },
  },
  allreduce: {
    averages: 'gradients',
    compression: 'none',
    parts: false,
    words: {
      en: {
        label: 'All-reduce',
        help: 'Every gradient, every step: equal to PyTorch’s DistributedDataParallel.',
      },
      'zh-CN': {
        label: 'All-reduce',
        help: '每步交换全部梯度：与 PyTorch 的 DistributedDataParallel 相同。',
      },
    },
  },
  fp16: {
    averages: 'gradients',
    compression: 'fp16',
    parts: true,
    words: {
      en: { label: 'All-reduce in fp16', help: 'Half the bytes.' },
      'zh-CN': { label: 'fp16 All-reduce', help: '字节数减半。' },
    },
  },
  bf16: {
    averages: 'gradients',
    compression: 'bf16',
    parts: true,
    words: {
      en: { label: 'All-reduce in bf16', help: 'Half the bytes.' },
      'zh-CN': { label: 'bf16 All-reduce', help: '字节数减半。' },
    },
  },
  powersgd: {
    averages: 'gradients',
    compression: 'powersgd',
    value: { ...rankLimits, default: 2 },
    parts: true,
    words: {
      en: {
        label: 'PowerSGD',
        help: 'Low-rank factors of each gradient matrix: about a hundredth of the bytes.',
        value: 'Rank of PowerSGD',
      },
      'zh-CN': {
        label: 'PowerSGD',
        help: '梯度矩阵以低秩因子传输：约为百分之一的字节。',
        value: 'PowerSGD 的秩',
      },
    },
  },
  topk: {
    averages: 'gradients',
    compression: 'topk',
    value: { ...fractionLimits, default: 0.001 },
    parts: true,
    words: {
      en: {
        label: 'Top-k',
        help: 'Only the largest values; the rest is kept for later steps (error feedback).',
        value: 'Fraction of the values',
      },
      'zh-CN': { label: 'Top-k', help: '只传最大的值，其余留待以后（误差反馈）。', value: '传输的比例' },
    },
  },
  local: {
    averages: 'outer',
    compression: 'none',
    value: { ...stepLimits, default: 8, needed: true },
    parts: true,
    words: {
      en: {
        label: 'Local steps',
        help: 'Local SGD: each rank trains alone for some steps, then the parameters are averaged.',
        value: 'Local steps',
      },
      'zh-CN': {
        label: '本地步',
        help: 'Local SGD：各 rank 独自训练若干步，然后平均参数。',
        value: '本地步数',
      },
    },
  },
  diloco: {
    averages: 'outer',
    compression: 'int4',
    value: { ...stepLimits, default: 8, needed: true },
    parts: true,
    outer: { learningRate: 0.7, momentum: 0.9 },
    words: {
      en: {
        label: 'DiLoCo',
        help: 'Local steps, averaged in four bits as an outer step: for the slowest links.',
        value: 'Local steps',
      },
      'zh-CN': {
        label: 'DiLoCo',
        help: '本地步之后以 4 位平均并作外层更新：适合最慢的链路。',
        value: '本地步数',
      },
    },
  },
} as const satisfies Readonly<Record<string, SyncModeRow>>;

export type SyncKind = keyof typeof syncModes;
/** In the order of the menu. */
export const syncKinds = Object.keys(syncModes) as readonly SyncKind[]; // Object.keys of a constant table.
/** The row by its general type. */
export const syncRow = (kind: SyncKind): SyncModeRow => syncModes[kind];
