/** What a run waits for while nothing in its charts moves: one answer, from the state of its nodes and ranks. Pure. */
import { trainingNodes } from '../../../shared/lab/lab.ts';
import type { NodeReadiness, StepRecord } from '../../../shared/node/provision.ts';
import { pendingRestart, type RecoveryWait } from '../../../shared/run/recovery.ts';
import type { RunRecord } from '../../../shared/run/run.ts';

export type RunWait =
  /** Nothing is known of the nodes yet. */
  | { readonly what: 'begins' }
  | {
      readonly what: 'step';
      readonly node: string;
      readonly step: StepRecord;
      /** Seconds until it is done, at its rate so far. */
      readonly left: number | undefined;
      /** Other nodes that are being prepared. */
      readonly more: number;
    }
  | { readonly what: 'launch'; readonly ranks: number }
  | { readonly what: 'rendezvous'; readonly ranks: number }
  /** `seconds`: the least that the slowest link needs for them; undefined where links are not as slow as drawn. */
  | { readonly what: 'weights'; readonly bytes: number; readonly seconds: number | undefined }
  | { readonly what: 'firstStep'; readonly seconds: number | undefined }
  | { readonly what: 'stop'; readonly ranks: number }
  /** A drawn link is down, and the experiment waits until it is up. */
  | { readonly what: 'link'; readonly names: readonly string[] }
  /** Those that are left save, before all start again. */
  | { readonly what: 'rejoin' }
  /** To start again: `until` in Unix seconds, where it is known; `from` a step, undefined where an own script decides. */
  | { readonly what: 'recovery'; readonly wait: RecoveryWait | undefined; readonly from: number | undefined };

const active: ReadonlySet<StepRecord['state']> = new Set(['checking', 'applying', 'verifying']);

/**
 * Undefined where the run does not wait, or its own trouble is shown instead.
 * @param nodes readiness of its nodes, as far as it is known
 * @param begun whether rank 0 has written its start line
 * @param now Unix seconds
 * @param down drawn links that are down, by their ids
 */
export function runWait(
  run: RunRecord,
  nodes: readonly NodeReadiness[],
  begun: boolean,
  now: number,
  down: readonly string[] = [],
): RunWait | undefined {
  switch (run.state) {
    case 'draft':
    case 'preparing':
      return preparation(run, nodes, now);
    case 'starting':
      return { what: 'launch', ranks: run.ranks.length };
    case 'stopping':
      return { what: 'stop', ranks: run.ranks.length };
    case 'recovering': {
      const { waiting, rejoins = false } = run.recovery ?? {};
      return { what: 'recovery', wait: waiting, from: rejoins ? run.step : restartStep(run) };
    }
    case 'running':
      break;
    case 'queued':
    case 'waiting':
    case 'stopped':
    case 'interrupted':
    case 'finished':
    case 'failed':
    case 'lost':
      return undefined;
  }
  const { onLinkDown } = run.lab.experiment;
  const links = run.lab.links.filter(({ id }) => onLinkDown === 'wait' && down.includes(id));
  if (links.length > 0) {
    const nameOf = (id: string): string => run.lab.nodes.find((node) => node.id === id)?.name ?? '';
    return { what: 'link', names: links.map(({ ends: [a, b] }) => `${nameOf(a)} – ${nameOf(b)}`) };
  }
  // A script says itself what it does.
  if (isScript(run)) return undefined;
  const { sharedBytes = 0 } = run;
  if (sharedBytes > 0) return { what: 'weights', bytes: sharedBytes, seconds: linkSeconds(run, sharedBytes) };
  const { waiting, rejoins = false } = run.recovery ?? {};
  if (rejoins) return { what: 'rejoin' };
  // Supervisors on the nodes wait before they start it again.
  if (waiting !== undefined) return { what: 'recovery', wait: waiting, from: restartStep(run) };
  // An earlier attempt's start is not this one's.
  if (!begun || pendingRestart(run.recovery) !== undefined)
    return { what: 'rendezvous', ranks: run.ranks.length };
  return run.step === 0 ? { what: 'firstStep', seconds: run.estimate?.secondsPerStep } : undefined;
}

const isScript = (run: RunRecord): boolean => run.lab.experiment.script !== undefined;

/** Undefined for an own script, which decides itself where it goes on. */
const restartStep = (run: RunRecord): number | undefined =>
  isScript(run) ? undefined : (run.recovery?.restarts.at(-1)?.from ?? 0);

function preparation(run: RunRecord, nodes: readonly NodeReadiness[], now: number): RunWait {
  const training = trainingNodes(run.lab);
  const busy = nodes.flatMap(({ nodeId, state, steps }) => {
    const node = training.find(({ id }) => id === nodeId);
    const step = steps.find((one) => active.has(one.state));
    return node === undefined || step === undefined || state !== 'preparing'
      ? []
      : [{ node: node.name, step }];
  });
  // The longest one is what the others wait for.
  const [longest] = busy.toSorted((a, b) => (a.step.startedAt ?? now) - (b.step.startedAt ?? now));
  if (longest !== undefined)
    return { what: 'step', ...longest, left: secondsLeft(longest.step, now), more: busy.length - 1 };
  const ready = nodes.filter(({ state }) => state === 'ready').length;
  return training.length > 0 && ready >= training.length
    ? { what: 'launch', ranks: run.ranks.length }
    : { what: 'begins' };
}

/** Too few bytes to estimate the rate. */
const minSeconds = 2;

function secondsLeft({ progress, startedAt }: StepRecord, now: number): number | undefined {
  if (progress === undefined || startedAt === undefined || progress.unit !== 'bytes') return undefined;
  const took = now - startedAt;
  if (progress.done <= 0 || took < minSeconds) return undefined;
  return (took * Math.max(0, progress.total - progress.done)) / progress.done;
}

/** Bytes cross the bottleneck once at least. */
function linkSeconds({ estimate, lab }: RunRecord, bytes: number): number | undefined {
  if (estimate?.bottleneck === undefined || estimate.communicationSeconds <= 0) return undefined;
  const nameOf = (id: string): string => lab.nodes.find((node) => node.id === id)?.name ?? '';
  const [a, b] = estimate.bottleneck;
  const link = lab.links.find(({ ends: [from, to] }) =>
    [
      [a, b],
      [b, a],
    ].some(([one, other]) => nameOf(from) === one && nameOf(to) === other),
  );
  return link === undefined ? undefined : (bytes * 8) / (link.bandwidthMbps * 1e6);
}
