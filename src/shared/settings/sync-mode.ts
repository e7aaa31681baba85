/**
 * What the ranks exchange, as the trainer's `--sync` says it (native/PROTOCOL.md): `powersgd:2`, `diloco:8,4bit`. `auto` is
 * a lab's word alone: auto-sync.ts makes one of the others of it when a run starts, and the trainer never sees it.
 */

export const syncKinds = [
  'auto',
  'allreduce',
  'fp16',
  'bf16',
  'powersgd',
  'topk',
  'local',
  'diloco',
] as const;
export type SyncKind = (typeof syncKinds)[number];

export interface SyncMode {
  readonly kind: SyncKind;
  /** PowerSGD's rank, top-k's fraction, the local steps between two averages; what the others have none of. */
  readonly value?: number;
  /** Further parts, as they are written: `late`, `fragments=4`. */
  readonly parts: readonly string[];
}

/** What a kind's number may be, and what it is where none is given. */
export const syncValues: Readonly<
  Partial<Record<SyncKind, { low: number; high: number; whole: boolean; usual: number }>>
> = {
  powersgd: { low: 1, high: 64, whole: true, usual: 2 },
  topk: { low: 0.000_01, high: 0.5, whole: false, usual: 0.001 },
  local: { low: 1, high: 1_000_000, whole: true, usual: 8 },
  diloco: { low: 1, high: 1_000_000, whole: true, usual: 8 },
};

/** Forms that are offered for what local steps changed, from the most exact. */
export const syncForms = ['fp32', 'fp16', '8bit', '4bit', 'sparse=0.45'] as const;

const partForm = /^(?:late|fp16|bf16|fp32|8bit|4bit|\d+|[a-z_]+=\d+(?:\.\d+)?)$/;

/** Undefined for what the trainer would refuse at a glance; it judges the further parts itself. */
export function parseSyncMode(text: string): SyncMode | undefined {
  const [, name = '', number, rest = ''] = /^([a-z0-9]+)(?::([\d.]+))?((?:,[^,]+)*)$/.exec(text) ?? [];
  const kind = syncKinds.find((one) => one === name);
  const parts = rest.split(',').slice(1);
  if (kind === undefined || !parts.every((part) => partForm.test(part))) return undefined;
  if (kind === 'auto') return text === kind ? { kind, parts } : undefined;
  const limits = syncValues[kind];
  if (limits === undefined) return number === undefined ? { kind, parts } : undefined;
  const needed = kind === 'local' || kind === 'diloco';
  if (number === undefined) return needed ? undefined : { kind, value: limits.usual, parts };
  const value = Number(number);
  const fits = value >= limits.low && value <= limits.high && (!limits.whole || Number.isInteger(value));
  return fits ? { kind, value, parts } : undefined;
}

export const formatSyncMode = ({ kind, value, parts }: SyncMode): string =>
  [value === undefined ? kind : `${kind}:${value}`, ...parts].join(',');
