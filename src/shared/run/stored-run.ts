/** Reads a stored run record, including those of earlier versions of Ringlab. */
import * as z from 'zod';
import { RunRecord } from './run.ts';

/** Earlier versions stored the fields by which the SSH launcher identifies a process. */
const OldProcess = z.object({ pid: z.number().int(), bootId: z.string(), startTicks: z.number() });
const AnyRanks = z.looseObject({ ranks: z.array(z.looseObject({ process: z.unknown().optional() })) });

function upgraded(stored: unknown): unknown {
  const record = AnyRanks.safeParse(stored);
  if (!record.success || !record.data.ranks.some(({ process }) => OldProcess.safeParse(process).success))
    return stored;
  const ranks = record.data.ranks.map((rank) => {
    const old = OldProcess.safeParse(rank.process);
    // The SSH launcher's id is exactly this text.
    return old.success ? { ...rank, process: { id: JSON.stringify(old.data), pid: old.data.pid } } : rank;
  });
  return { ...record.data, ranks };
}

export const StoredRun = z.preprocess(upgraded, RunRecord);
