/** Copies new bytes of a node's files into the store and the local logs. Owns the offsets; `read` is one pass. */
import { createSerialQueue } from '../../base/serial-queue.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { monitorSource, rankSource, type Source } from '../../../shared/metrics/metrics.ts';
import type { FileChunk, SshSession } from '../../ssh/index.ts';
import type { Appended, Store } from '../../store/index.ts';
import { secondsNow, type Clock } from '../../base/clock.ts';
import type { LaunchOrder } from '../record/launcher.ts';
import { mirrorLog, mirrorPath, mirrorSize } from './log-mirror.ts';
import { cutAtLine, readFiles, type FileRequest } from './node-files.ts';
import type { NodeTrust } from './node-trust.ts';
import { createPassSize } from './pass-size.ts';
import type { RunSettings } from '../record/settings.ts';
import { phrase } from '../../i18n/index.ts';

/** A rank or, without a number, the monitor. */
export interface FollowedProcess {
  readonly rank: number | undefined;
  readonly order: LaunchOrder;
}

export interface ReaderListener {
  appended(source: Source, appended: Appended): void;
  logGrew(rank: number, size: number): void;
  problem(error: RinglabError): void;
}

export interface NodeReaderOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: RunSettings;
  readonly runId: string;
  readonly nodeName: string;
  readonly listener: ReaderListener;
  readonly signal: AbortSignal;
  readonly trust: NodeTrust;
}

const firstLimit = 256 * 1024;
/** A longer line is not the trainer's. */
const longestLine = 4 * 1024 * 1024;

type Target =
  | { readonly kind: 'metrics'; readonly source: Source; readonly path: string }
  | { readonly kind: 'log'; readonly rank: number; readonly path: string; readonly mirror: string }
  | { readonly kind: 'exit'; readonly path: string };

export interface NodeReader {
  /** The offsets from which each process's metrics are streamed, once they have been read. */
  streamed(processes: readonly FollowedProcess[]): { path: string; offset: () => number }[];
  /**
   * Stores streamed lines. Skips bytes that were already read.
   * @returns false where there is a gap before them: the offset is not trustworthy
   */
  take(path: string, offset: number, lines: Uint8Array): Promise<boolean>;
  /**
   * @param all logs too, else only metrics. `more`: at least one file has unread bytes. `exited`: some `exit.json`
   * exists.
   */
  read(
    session: SshSession,
    processes: readonly FollowedProcess[],
    all: boolean,
  ): Promise<{ more: boolean; exited: boolean }>;
}

export function createNodeReader(options: NodeReaderOptions): NodeReader {
  const { store, settings, listener, runId } = options;
  const offsets = new Map<string, number>();
  const limits = new Map<string, number>();
  /** Bytes of each log on the node. */
  const logSizes = new Map<string, number>();
  const givenUp = new Set<string>();
  /** What one command may bring from all files together. */
  const pass = createPassSize();
  /** The first file for which nothing was left in the last pass: the next one begins with it. */
  let turn: string | undefined;
  const sources = new Map<string, Source>();
  /** Polling and streaming deliver lines concurrently: stored one after another. */
  const inTurn = createSerialQueue();

  const metricsOf = ({ rank, order }: FollowedProcess): Target & { kind: 'metrics' } => ({
    kind: 'metrics',
    source: rank === undefined ? monitorSource(order.nodeId) : rankSource(rank),
    path: `${order.directory}/metrics.jsonl`,
  });
  const targetsOf = (process: FollowedProcess, all: boolean): Target[] => {
    const { rank, order } = process;
    const targets: Target[] = [metricsOf(process)];
    if (rank === undefined) return targets;
    targets.push({ kind: 'exit', path: `${order.directory}/exit.json` });
    const mirror = mirrorPath(store.runFolder(runId), rank);
    if (all) targets.push({ kind: 'log', rank, path: `${order.directory}/log.txt`, mirror });
    return targets;
  };
  const offsetOf = async (target: Target): Promise<number> => {
    if (target.kind === 'exit') return 0;
    const known = offsets.get(target.path);
    if (known !== undefined) return known;
    const offset =
      target.kind === 'log' ? await mirrorSize(target.mirror) : await store.offset(runId, target.source);
    offsets.set(target.path, offset);
    return offset;
  };
  /** Fault 24: while this computer's disk is full, reading pauses and the user is notified; the node keeps every line. */
  const storing = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let reported = false; ; reported = true) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof RinglabError) || error.code !== 'local_disk_full') throw error;
        if (!reported) listener.problem(error);
        await options.clock.sleep(settings.diskFullRetry, options.signal);
      }
    }
  };
  const takeMetrics = async (
    target: Target & { kind: 'metrics' },
    chunk: FileChunk,
    limit: number,
  ): Promise<boolean> => {
    const { source, path } = target;
    if (chunk.size < chunk.offset) {
      await storing(() => store.restart(runId, source));
      offsets.set(path, 0);
      listener.problem(shrunk(path, options.nodeName, chunk));
      return chunk.size > 0;
    }
    const { whole, torn } = cutAtLine(chunk.bytes);
    if (whole.length === 0 && torn >= limit) {
      limits.set(path, Math.min(limit * 4, longestLine));
      if (limit >= longestLine) {
        givenUp.add(path);
        listener.problem(
          new RinglabError(
            'file_unreadable',
            { path, reason: phrase('reasons.longLine', { limit }) },
            { where: options.nodeName },
          ),
        );
      }
      return true;
    }
    limits.delete(path);
    await append(source, path, chunk.offset, whole);
    return chunk.offset + chunk.bytes.length < chunk.size;
  };
  /** Stores whole lines; skips bytes that are already stored. False where there is a gap before them. */
  const append = async (
    source: Source,
    path: string,
    offset: number,
    lines: Uint8Array,
  ): Promise<boolean> => {
    const known = offsets.get(path) ?? 0;
    if (offset > known) return false;
    const bytes = lines.subarray(known - offset);
    if (bytes.length === 0) return true;
    options.trust.stored(path, bytes.length);
    const appended = await storing(() => store.append({ runId, source, offset: known, bytes }));
    offsets.set(path, appended.nextOffset);
    listener.appended(source, appended);
    return true;
  };
  const takeLog = async (target: Target & { kind: 'log' }, chunk: FileChunk): Promise<boolean> => {
    const changed = await storing(() => mirrorLog(target.mirror, chunk, secondsNow(options.clock)));
    const size = await mirrorSize(target.mirror);
    offsets.set(target.path, size);
    // Of a log whose copy is full only the size is read, and whoever shows its end reads that from the node.
    const grew = changed || chunk.size !== (logSizes.get(target.path) ?? chunk.offset);
    logSizes.set(target.path, chunk.size);
    if (grew) listener.logGrew(target.rank, chunk.size);
    return changed && size < chunk.size && size < settings.logMirrorBytes;
  };
  const readPass = async (
    session: SshSession,
    requests: readonly FileRequest[],
    total: number,
  ): Promise<Map<string, FileChunk>> => {
    const { signal, clock } = options;
    const timeoutMs = settings.readTimeout;
    const asked = clock.ticks();
    try {
      const chunks = await readFiles(session, requests, { signal, timeoutMs }, total);
      const bytes = [...chunks.values()].reduce((sum, chunk) => sum + chunk.bytes.length, 0);
      pass.arrived(bytes, (clock.ticks() - asked) / timeoutMs);
      return chunks;
    } catch (error) {
      if (error instanceof RinglabError && error.code === 'command_timeout') pass.timedOut();
      throw error;
    }
  };
  return {
    streamed: (processes) =>
      processes.map((process) => {
        const { path, source } = metricsOf(process);
        sources.set(path, source);
        return { path, offset: () => offsets.get(path) ?? 0 };
      }),
    take: (path, offset, lines) =>
      inTurn(async () => {
        const source = sources.get(path);
        return source !== undefined && (await append(source, path, offset, lines));
      }),
    async read(session, processes, all) {
      const inOrder = processes
        .flatMap((process) => targetsOf(process, all))
        .filter((target) => !givenUp.has(target.path));
      const begin = Math.max(
        0,
        inOrder.findIndex(({ path }) => path === turn),
      );
      const targets = [...inOrder.slice(begin), ...inOrder.slice(0, begin)];
      const requests: FileRequest[] = [];
      for (const [index, target] of targets.entries()) {
        const offset = await offsetOf(target);
        let limit = limits.get(target.path) ?? Math.min(firstLimit, pass.bytes);
        if (target.kind === 'exit') limit = 1;
        // Beyond the limit only the size is read: the rest is fetched from the node when the user opens the log.
        if (target.kind === 'log') limit = Math.min(limit, Math.max(0, settings.logMirrorBytes - offset));
        requests.push({ key: String(index), path: target.path, offset, limit });
      }
      // A file with a longer line than a pass has comes first at some time, and is read whole then.
      const total = Math.max(pass.bytes, requests[0]?.limit ?? 0);
      const chunks = await readPass(session, requests, total);
      let more = false;
      let exited = false;
      let left = total;
      let next: string | undefined;
      for (const [index, target] of targets.entries()) {
        const chunk = chunks.get(String(index));
        if (chunk === undefined) continue;
        const { limit = firstLimit } = requests[index] ?? {};
        const { path } = target;
        const unread = chunk.size - chunk.offset - chunk.bytes.length;
        const isCut = target.kind !== 'exit' && limit > left && unread > 0;
        const isSkipped = isCut && left <= 0;
        left -= chunk.bytes.length;
        if (isCut) {
          next ??= path;
          more = true;
        }
        if (target.kind !== 'exit' && limit > 0 && !isSkipped) options.trust.read(path, chunk);
        if (target.kind === 'exit') exited = true;
        else if (target.kind === 'log') more = (await takeLog(target, chunk)) || more;
        else if (!isSkipped) more = (await inTurn(() => takeMetrics(target, chunk, limit))) || more;
      }
      turn = next;
      return { more, exited };
    },
  };
}

const shrunk = (path: string, nodeName: string, chunk: FileChunk): RinglabError =>
  new RinglabError(
    'file_unreadable',
    {
      path,
      reason: phrase('reasons.shrank', { before: chunk.offset, now: chunk.size }),
    },
    { where: nodeName },
  );
