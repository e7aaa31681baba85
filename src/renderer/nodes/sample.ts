/** Parses a monitor's `sample` line (native/PROTOCOL.md), and computes rates from two of them. */
import * as z from 'zod';
import { metricNumber, type MetricLine } from '../../shared/metrics/metrics.ts';

/** A number, or undefined if the machine reported none or an invalid one. */
const Amount = z
  .unknown()
  .transform((value) => {
    const number = metricNumber(value);
    return number !== undefined && Number.isFinite(number) ? number : undefined;
  })
  // Otherwise a field that a machine cannot report would invalidate its whole line.
  .optional();
const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((items) =>
      items.flatMap((one): z.output<T>[] => {
        const parsed = item.safeParse(one);
        return parsed.success ? [parsed.data] : [];
      }),
    );

const SampleFields = z.object({
  cpu_percent: Amount,
  cpus: Amount,
  load1: Amount,
  memory_used_bytes: Amount,
  memory_total_bytes: Amount,
  disk_free_bytes: Amount,
  disk_total_bytes: Amount,
  network: listOf(z.object({ name: z.string(), bytes_sent: Amount, bytes_received: Amount })),
  processes: listOf(
    z.object({
      pid: z.number(),
      cpu_percent: Amount,
      memory_bytes: Amount,
      descendants: listOf(z.number()).optional(),
    }),
  ),
  gpus: listOf(
    z.object({
      index: z.number(),
      name: z.string().catch(''),
      utilization_percent: Amount,
      memory_used_bytes: Amount,
      memory_total_bytes: Amount,
      power_watts: Amount,
      temperature_celsius: Amount,
      sm_clock_mhz: Amount,
      processes: listOf(
        z.object({
          pid: z.number(),
          memory_bytes: Amount,
          user: z.string().optional().catch(undefined),
          name: z.string().optional().catch(undefined),
        }),
      ).optional(),
    }),
  ),
});

export interface GpuSample {
  readonly index: number;
  readonly name: string;
  readonly utilisation: number | undefined;
  readonly memoryUsed: number | undefined;
  readonly memoryTotal: number | undefined;
  readonly watts: number | undefined;
  readonly celsius: number | undefined;
  readonly megahertz: number | undefined;
  readonly processes: readonly GpuProcess[];
}

export interface GpuProcess {
  readonly pid: number;
  readonly memory: number | undefined;
  /** User and program; missing if the node cannot see the process (another container's). */
  readonly user: string | undefined;
  readonly program: string | undefined;
}

/** Bytes, percent 0 to 100, seconds. */
export interface Sample {
  readonly seq: number;
  readonly t: number;
  /** Of the whole machine. */
  readonly cpu: number | undefined;
  /** Within a container's limit, as the memory: may be a fraction. */
  readonly cpus: number | undefined;
  readonly load: number | undefined;
  readonly memoryUsed: number | undefined;
  readonly memoryTotal: number | undefined;
  readonly diskFree: number | undefined;
  readonly diskTotal: number | undefined;
  /** Counters since boot, over all interfaces but the loopback; the loopback if there is no other traffic. */
  readonly sent: number;
  readonly received: number;
  readonly loopback: number;
  /** The ranks' own processes, each with what its descendants use; `cpu` 100 is one core. */
  readonly processes: readonly {
    readonly pid: number;
    readonly cpu: number | undefined;
    readonly memory: number | undefined;
    /** The nearest first. */
    readonly descendants: readonly number[];
  }[];
  readonly gpus: readonly GpuSample[];
}

export function readSample(line: MetricLine): Sample | undefined {
  const parsed = SampleFields.safeParse(line);
  if (!parsed.success) return undefined;
  const { network, gpus, processes, ...rest } = parsed.data;
  const outside = network.filter(({ name }) => name !== 'lo');
  const sum = (values: readonly (number | undefined)[]): number =>
    values.reduce<number>((all, one) => all + (one ?? 0), 0);
  return {
    seq: line.seq,
    t: line.t,
    cpu: rest.cpu_percent,
    cpus: rest.cpus,
    load: rest.load1,
    memoryUsed: rest.memory_used_bytes,
    memoryTotal: rest.memory_total_bytes,
    diskFree: rest.disk_free_bytes,
    diskTotal: rest.disk_total_bytes,
    sent: sum(outside.map((one) => one.bytes_sent)),
    received: sum(outside.map((one) => one.bytes_received)),
    loopback: sum(network.filter(({ name }) => name === 'lo').map((one) => one.bytes_sent)),
    processes: processes.map((one) => ({
      pid: one.pid,
      cpu: one.cpu_percent,
      memory: one.memory_bytes,
      descendants: one.descendants ?? [],
    })),
    gpus: gpus.map((gpu) => ({
      index: gpu.index,
      name: gpu.name,
      utilisation: gpu.utilization_percent,
      memoryUsed: gpu.memory_used_bytes,
      memoryTotal: gpu.memory_total_bytes,
      watts: gpu.power_watts,
      celsius: gpu.temperature_celsius,
      megahertz: gpu.sm_clock_mhz,
      processes: (gpu.processes ?? []).map((one) => ({
        pid: one.pid,
        // No process on a GPU has none: where its driver does not say it, as in WSL and containers, monitors write 0.
        memory: one.memory_bytes === 0 ? undefined : one.memory_bytes,
        user: one.user,
        program: one.name,
      })),
    })),
  };
}

export interface Traffic {
  /** Bytes per second. */
  readonly sent: number;
  readonly received: number;
  readonly loopback: number;
}

/** The rates between two samples; undefined if a counter decreased (a reboot) or no time passed. */
export function traffic(before: Sample | undefined, now: Sample): Traffic | undefined {
  if (before === undefined) return undefined;
  const seconds = now.t - before.t;
  const rates = {
    sent: (now.sent - before.sent) / seconds,
    received: (now.received - before.received) / seconds,
    loopback: (now.loopback - before.loopback) / seconds,
  };
  return seconds > 0 && Object.values(rates).every((rate) => rate >= 0) ? rates : undefined;
}

/** Samples kept for each node: as many as a sparkline has pixels. */
export const maxSamples = 240;

/** Merges newer samples into a history: by seq, without duplicates, the newest `maxSamples`. */
export function joinSamples(history: readonly Sample[], newer: readonly Sample[]): readonly Sample[] {
  if (newer.length === 0) return history;
  const last = history.at(-1)?.seq ?? -1;
  if (newer.every((sample, i) => sample.seq > (newer[i - 1]?.seq ?? last))) {
    return [...history, ...newer].slice(-maxSamples);
  }
  const bySeq = new Map([...history, ...newer].map((sample) => [sample.seq, sample]));
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq).slice(-maxSamples);
}

/** CPU of the ranks' processes together, 100 for one core; undefined without any. */
export function processCpu(sample: Sample): number | undefined {
  const known = sample.processes.flatMap(({ cpu }) => (cpu === undefined ? [] : [cpu]));
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
}
