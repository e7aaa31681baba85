/**
 * Which lines say how many steps a run's epochs have: its `start` lines, and where ranks have left it or rejoined, or it went on from
 * another run, also its `epoch` lines.
 */
import type { LabApi } from '../../../shared/contract/api.ts';
import { rankSource, type MetricLine, type Source } from '../../../shared/metrics/metrics.ts';
import { absencesOf, firstMembers, maxMemberships } from '../../../shared/run/membership.ts';
import type { RunRecord } from '../../../shared/run/run.ts';

/** The part of a run, or of its summary, that decides it. */
export type EpochRun = Pick<RunRecord, 'id' | 'memberships' | 'formerFirsts' | 'recovery' | 'origin'>;

export interface EpochLinesAsk {
  readonly runId: string;
  /** Its epochs may differ in length. */
  readonly isUneven: boolean;
  /** The sources that have, or had, rank 0's part. */
  readonly firsts: readonly Source[];
}

export interface EpochLines {
  /** Oldest first. */
  readonly starts: readonly MetricLine[];
  /** Of a run whose epochs may differ in length. */
  readonly others: readonly MetricLine[];
}

/** The maximum number of resumes that are marked: the newest. */
const maxResumes = 20;
/** Epochs before them are spread evenly. */
const maxEpochs = 5000;

/** Who writes the `start` lines. */
export const startSource = rankSource(0);

export function epochLinesOf(run: EpochRun): EpochLinesAsk {
  const { id: runId, memberships, formerFirsts, recovery, origin } = run;
  return {
    runId,
    // Of a run that another one began, the epochs before are not known: ranks may have left in them.
    isUneven:
      absencesOf({ memberships, recovery }).length > 0 ||
      (recovery?.rejoined?.length ?? 0) > 0 ||
      origin?.checkpoint !== undefined,
    firsts: firstMembers({ memberships, formerFirsts }).map(rankSource),
  };
}

export async function readEpochLines(
  api: Pick<LabApi, 'call'>,
  { runId, isUneven, firsts }: EpochLinesAsk,
  signal: AbortSignal,
): Promise<EpochLines> {
  const lines = async (kind: string, source: Source, limit: number): Promise<MetricLine[]> => {
    const points = await api.call('metrics.lines', { runId, kinds: [kind], source, limit }, signal);
    return points.map(({ line }) => line);
  };
  const wanted = isUneven
    ? firsts.flatMap((source) => [
        lines('epoch', source, maxEpochs),
        lines('step', source, 1),
        // The epoch of each began before the loss.
        lines('membership', source, maxMemberships),
      ])
    : [];
  const [starts, ...others] = await Promise.all([lines('start', startSource, maxResumes + 1), ...wanted]);
  return { starts, others: others.flat() };
}
