/** How a run goes on after it lost a rank: what happened, what it waits for, and what was lost. Stored in its record. */
import * as z from 'zod';
import { WireError } from '../base/errors.ts';
import { LabLink, LabNode } from '../lab/lab.ts';

/** The oldest are dropped beyond this number. */
export const maxRestarts = 200;

const Count = z.number().int().nonnegative();

/** A failure after which a run was started again, or is about to be. */
export const Restart = z.object({
  /** `node`: the supervisors on the nodes restarted it, without the app. Absent: the app did. */
  by: z.literal('node').optional(),
  /** The attempt that failed, from 1. */
  attempt: z.number().int().positive(),
  /** When all of its ranks had ended, in Unix seconds. */
  t: z.number(),
  /** Without detail; `where` is the node. */
  error: WireError,
  /** Steps completed by then. */
  step: Count,
  /** The step of the newest checkpoint that is known to be whole. */
  from: Count,
  /** `seq` of rank 0's last line: the next attempt's lines come after it. */
  seq: z.number().int().min(-1),
  /** When rank 0's last step ended, and when its attempt began, in Unix seconds. Absent: it took no step. */
  trained: z.object({ from: z.number(), to: z.number() }).optional(),
  /** When and at which step training went on. `lost`: work that is done again. Absent until it goes on. */
  resumed: z
    .object({ t: z.number(), step: Count, lostSteps: Count, lostSeconds: z.number().nonnegative() })
    .optional(),
});
export type Restart = z.infer<typeof Restart>;

export const RecoveryWait = z.object({
  /** `backOff`: an interval that grows with each failure. */
  for: z.enum(['backOff', 'nodes', 'link']),
  /** Names of the nodes, or of the link. */
  names: z.array(z.string().max(300)).max(100),
  /** Unix seconds since when, and when the next attempt is due, where that is known. */
  since: z.number(),
  until: z.number().optional(),
});
export type RecoveryWait = z.infer<typeof RecoveryWait>;

/**
 * Why a run was not started again. `cause`: the same would happen again. `repeated`: it did, without a new checkpoint
 * in between. `tooOften`: the limit an hour. `away`: its nodes stayed unreachable.
 */
export const NoRestart = z.enum(['cause', 'repeated', 'tooOften', 'away']);
export type NoRestart = z.infer<typeof NoRestart>;

/** Another node of the drawing is to take the place of the lost node `nodeId`. */
export const WantedReplacement = z.object({
  nodeId: z.string().min(1).max(64),
  by: z.string().min(1).max(64),
});
export type WantedReplacement = z.infer<typeof WantedReplacement>;
export const maxReplacements = 64;

/** The other node as it was drawn then, with its links to the run's nodes. */
export const Replacement = z.object({
  nodeId: z.string().min(1).max(64),
  node: LabNode,
  links: z.array(LabLink).max(10_000),
});
export type Replacement = z.infer<typeof Replacement>;

/** A node of which another one took the place, as it was drawn then, and the folder of one of its ranks there. */
const LeftNode = z.object({ node: LabNode, directory: z.string().max(4096) });
export const maxLeftNodes = 200;

/** Ranks that the others went on without, in an earlier attempt. */
export const Absence = z.object({
  ranks: z.array(z.number().int().min(0).max(99_999)).min(1).max(1000),
  /** Unix seconds, and the steps completed by then. */
  from: z.number(),
  step: Count,
  /** When all ranks had been started again. Absent until then. */
  to: z.number().optional(),
});
export type Absence = z.infer<typeof Absence>;

export const Recovery = z.object({
  restarts: z.array(Restart).max(maxRestarts),
  /** While the run is `recovering`, and while supervisors on its nodes wait. */
  waiting: RecoveryWait.optional(),
  ended: NoRestart.optional(),
  /** Lost ranks rejoin: those that are left stop, and all start again from the newest checkpoint, until they run. */
  rejoins: z.literal(true).optional(),
  /** With `rejoins`: nodes that take the places of lost ones when the others have stopped. */
  replaces: z.array(Replacement).max(maxReplacements).optional(),
  /** Oldest first: the run's folders are still there. Absent in records of earlier versions. */
  left: z.array(LeftNode).max(maxLeftNodes).optional(),
  /** When lost ranks rejoined, in Unix seconds. */
  rejoined: z.array(z.number()).max(maxRestarts).optional(),
  /** Of earlier attempts, oldest first. */
  absences: z.array(Absence).max(maxRestarts).optional(),
  /** Unix seconds when the user resumed the run. */
  resumedAt: z.number().optional(),
  /**
   * The attempt that began then: failures of those before it no longer count towards a limit. Absent in records of earlier versions:
   * `resumedAt` decides, which a clock that is set back makes wrong.
   */
  resumedAttempt: z.number().int().positive().optional(),
  /**
   * By rank, `seq` of the last line that was stored when the app last started the ranks, where the clock had been set back since it decided
   * to: times do not tell then which lines are of earlier attempts.
   */
  lastSeqs: z.array(z.number().int().min(-1)).max(100_000).optional(),
});
export type Recovery = z.infer<typeof Recovery>;

/** When all ranks run again, or the run has ended. */
export const withoutRejoin = (recovery: Recovery | undefined): Recovery | undefined =>
  recovery?.rejoins === undefined ? recovery : { ...recovery, rejoins: undefined, replaces: undefined };

/** All ranks run again. @param now Unix seconds */
export const withAllRanks = (recovery: Recovery | undefined, now: number): Recovery | undefined =>
  recovery?.absences === undefined
    ? recovery
    : { ...recovery, absences: recovery.absences.map((absence) => ({ to: now, ...absence })) };

/** Whether something at `t` was within the hour before `now`, in Unix seconds. A clock that was set back shows later times: they do not count. */
export const isWithinHour = (t: number, now: number): boolean => t > now - 3600 && t <= now;

/** The failures that count towards the limits, oldest first. */
export function countedRestarts(recovery: Recovery | undefined): Restart[] {
  const { restarts = [], resumedAt = 0, resumedAttempt } = recovery ?? {};
  return restarts.filter(({ t, attempt }) =>
    resumedAttempt === undefined ? t >= resumedAt : attempt >= resumedAttempt,
  );
}

/** The failure after which training has not gone on yet. */
export const pendingRestart = (recovery: Recovery | undefined): Restart | undefined => {
  const last = recovery?.restarts.at(-1);
  return last?.resumed === undefined ? last : undefined;
};

/** How often all ranks were started: by the app (`RunRecord.attempt`), and by the supervisors on the nodes. */
export const attemptsOf = (run: {
  readonly attempt: number;
  readonly recovery?: Recovery | undefined;
}): number => run.attempt + (run.recovery?.restarts ?? []).filter(({ by }) => by === 'node').length;

/** Work that was done again, over all restarts. */
export const workLost = (recovery: Recovery | undefined): { steps: number; seconds: number } =>
  (recovery?.restarts ?? []).reduce(
    ({ steps, seconds }, { resumed }) => ({
      steps: steps + (resumed?.lostSteps ?? 0),
      seconds: seconds + (resumed?.lostSeconds ?? 0),
    }),
    { steps: 0, seconds: 0 },
  );
