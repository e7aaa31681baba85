/**
 * The newest samples of every node of a run. All cards and canvas nodes that show the run share one feed: it starts with
 * the first subscriber and ends with the last.
 */
import type { LabApi } from '../../shared/contract/api.ts';
import { rankSource, type Point, type Source } from '../../shared/metrics/metrics.ts';
import { gpusWithRanks, ownGpus, readDevice, type OwnGpus, type RankDevice } from './own-gpus.ts';
import { joinSamples, maxSamples, readSample, type Sample } from './sample.ts';

const prefix = 'monitor-';
/** The maximum number of lines in a response. */
const maxLines = 5000;
/** Starts of ranks, of all attempts. */
const maxStarts = 2000;

export interface NodeSamples {
  /** Oldest first. */
  readonly samples: readonly Sample[];
  /** The monitor reported that the machine has no NVIDIA library. */
  readonly noNvml: boolean;
  /** Of the machine's GPUs, those of the run. */
  readonly own: OwnGpus;
  /** What each rank of the run, also of other nodes, reported at its newest start. */
  readonly devices: ReadonlyMap<Source, RankDevice>;
}

export const noSamples: NodeSamples = { samples: [], noNvml: false, own: undefined, devices: new Map() };

export interface SampleFeed {
  of(nodeId: string): NodeSamples;
  /** For all nodes; a new map whenever one of them has a new sample. */
  all(): ReadonlyMap<string, NodeSamples>;
  phase(): 'loading' | 'ready' | 'failed';
  onChange(listener: () => void): () => void;
  close(): void;
}

export interface SampleFeedOptions {
  readonly api: Pick<LabApi, 'call'>;
  readonly runId: string;
  /** The run's ranks; undefined while they are not known. */
  readonly ranks: () => readonly { readonly rank: number; readonly nodeId: string }[] | undefined;
  readonly subscribe: (
    listener: (batch: { readonly points: readonly Point[]; readonly truncated: boolean }) => void,
  ) => () => void;
}

export function createSampleFeed({ api, runId, ranks, subscribe }: SampleFeedOptions): SampleFeed {
  let nodes = new Map<string, NodeSamples>();
  let phase: 'loading' | 'ready' | 'failed' = 'loading';
  let asking = false;
  let mustReload = false;
  const abort = new AbortController();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const notify of [...listeners]) notify();
  };

  /** By source and process id, the last start at the end. */
  const devices = new Map<string, { readonly source: Source; readonly device: RankDevice }>();
  let newest: NodeSamples['devices'] = noSamples.devices;
  /** By process id, which `sample` lines name their node's ranks by: each pod counts its own, so that nodes have the same. */
  const devicesOn = (nodeId: string): ReadonlyMap<number, RankDevice> => {
    const own = ranks()?.filter((one) => one.nodeId === nodeId);
    const sources = own && new Set(own.map(({ rank }) => rankSource(rank)));
    const started = [...devices.values()].filter(({ source }) => sources?.has(source) ?? true);
    return new Map(started.map(({ device }) => [device.pid, device]));
  };
  /** By node: GPUs that a rank's process was seen on. */
  const seen = new Map<string, ReadonlySet<number>>();

  const take = (points: readonly Point[]): boolean => {
    const fresh = new Map<string, { samples: Sample[]; noNvml: boolean }>();
    let started = false;
    for (const { source, line } of points) {
      const device = line.kind === 'start' ? readDevice(line) : undefined;
      if (device !== undefined) {
        const key = `${source} ${device.pid}`;
        devices.delete(key);
        devices.set(key, { source, device });
        started = true;
      }
      if (!source.startsWith(prefix)) continue;
      const nodeId = source.slice(prefix.length);
      const entry = fresh.get(nodeId) ?? { samples: [], noNvml: false };
      if (line.kind === 'warning') {
        if (line.code !== 'no_nvml') continue;
        entry.noNvml = true;
      } else if (line.kind === 'sample') {
        const sample = readSample(line);
        if (sample === undefined) continue;
        entry.samples.push(sample);
      } else continue;
      fresh.set(nodeId, entry);
    }
    if (fresh.size === 0 && !started) return false;
    if (started) newest = new Map([...devices.values()].map(({ source, device }) => [source, device]));
    nodes = new Map(nodes);
    for (const [nodeId, { samples, noNvml }] of fresh) {
      const old = nodes.get(nodeId) ?? noSamples;
      const known = seen.get(nodeId) ?? new Set();
      const found = samples.flatMap(gpusWithRanks).filter((index) => !known.has(index));
      if (found.length > 0) seen.set(nodeId, new Set([...known, ...found]));
      nodes.set(nodeId, {
        ...old,
        samples: joinSamples(old.samples, samples),
        noNvml: old.noNvml || noNvml,
      });
    }
    // A start does not name its node: each node searches for its own processes.
    for (const nodeId of started ? nodes.keys() : fresh.keys()) {
      const node = nodes.get(nodeId);
      if (node === undefined) continue;
      const own = ownGpus(node.samples.at(-1), seen.get(nodeId) ?? new Set(), devicesOn(nodeId));
      nodes.set(nodeId, { ...node, own, devices: newest });
    }
    return true;
  };

  /** A function, so that the compiler does not narrow it: it changes while `load` waits. */
  const missed = (): boolean => mustReload;

  const load = async (): Promise<void> => {
    asking = true;
    mustReload = false;
    try {
      const [lines, warnings, starts] = await Promise.all([
        api.call(
          'metrics.lines',
          { runId, kinds: ['sample'], limit: Math.min(maxLines, maxSamples * 12) },
          abort.signal,
        ),
        api.call('metrics.lines', { runId, kinds: ['warning'], limit: 200 }, abort.signal),
        api.call('metrics.lines', { runId, kinds: ['start'], limit: maxStarts }, abort.signal),
      ]);
      take([...starts, ...warnings]);
      take(lines);
      phase = 'ready';
    } catch {
      if (abort.signal.aborted) return;
      phase = 'failed';
    }
    asking = false;
    changed();
    if (missed()) void load();
  };

  const stop = subscribe(({ points, truncated }) => {
    if (truncated) {
      if (asking) mustReload = true;
      else void load();
    }
    if (take(points)) changed();
  });
  void load();
  return {
    all: () => nodes,
    of: (nodeId) => nodes.get(nodeId) ?? noSamples,
    phase: () => phase,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      stop();
      abort.abort();
      listeners.clear();
    },
  };
}
