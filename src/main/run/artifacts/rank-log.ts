/** Reads bytes of a rank's log: from the local copy, and from the node beyond the copy. */
import { notFound } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { mirrorPath, readSlice, sliceText, type LocalSlice, type LogSlice } from '../follow/log-mirror.ts';
import { arrivalsOf } from '../follow/log-times.ts';
import { readFiles } from '../follow/node-files.ts';
import type { RunServices } from '../record/services.ts';

export interface LogQuery {
  readonly runId: string;
  readonly rank: number;
  /** Negative: counted from the end. */
  readonly offset: number;
  /** Bytes. */
  readonly limit: number;
}

export async function readLog(services: RunServices, run: RunRecord, query: LogQuery): Promise<LogSlice> {
  const rank = run.ranks[query.rank];
  if (rank === undefined) throw notFound('rank', String(query.rank));
  const { settings, store, reach } = services;
  const mirror = mirrorPath(store.runFolder(run.id), query.rank);
  const local = await readSlice(mirror, query.offset, query.limit);
  const capped = local !== undefined && local.size >= settings.logMirrorBytes;
  if (local !== undefined && (!capped || (query.offset >= 0 && query.offset < local.size)))
    return ofCopy(mirror, local);
  if (!capped) return { text: '', offset: 0, nextOffset: 0, size: 0 };
  const path = `${rank.directory}/log.txt`;
  try {
    const session = await reach.session(run.lab, rank.nodeId);
    const ask = async (offset: number, limit: number) =>
      (
        await readFiles(session, [{ key: 'log', path, offset, limit }], { timeoutMs: settings.readTimeout })
      ).get('log');
    const size = (await ask(0, 0))?.size ?? 0;
    const from = query.offset < 0 ? Math.max(0, size + query.offset) : Math.min(query.offset, size);
    const chunk = await ask(from, query.limit);
    if (chunk !== undefined) return sliceText(chunk.bytes, from, Math.max(size, chunk.size));
  } catch {
    // The node is unreachable: show the copied part.
  }
  return ofCopy(mirror, local);
}

/** With the times at which its lines arrived. What is read from the node has none: it arrives when the user looks. */
async function ofCopy(mirror: string, { bytes, offset, size }: LocalSlice): Promise<LogSlice> {
  const slice = sliceText(bytes, offset, size);
  const shown = bytes.subarray(slice.offset - offset, slice.nextOffset - offset);
  return { ...slice, arrivals: await arrivalsOf(mirror, shown, slice.offset) };
}
