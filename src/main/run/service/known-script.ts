/** Finds how long a step of an own script took in the newest run of it: of the same nodes, else of any. */
import { scalarKind } from '../../../shared/run/run-outputs.ts';
import { isEnded } from '../../../shared/run/run.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { givenTo, scriptKey, scriptPace, type MeasuredScript } from '../../../shared/run/script-time.ts';
import type { Store } from '../../store/index.ts';
import type { KnownCompute } from './contract.ts';
import { knownCompute } from './known-compute.ts';

/** Maximum number of runs that are read, from the newest: older ones say little. */
const maxRuns = 20;
const maxLines = 5000;
const kinds = [scalarKind, 'script_progress'];

/** What earlier runs say of the lab's experiment, whichever trains. */
export async function knownTimes(
  store: Pick<Store, 'listRuns' | 'lines'>,
  lab: LabDocument,
): Promise<KnownCompute> {
  const script = await knownScript(store, lab);
  return { ...(await knownCompute(store, lab)), ...(script === undefined ? {} : { script }) };
}

/** Undefined where no ended run of the script says anything of its time. */
async function knownScript(
  store: Pick<Store, 'listRuns' | 'lines'>,
  lab: LabDocument,
): Promise<MeasuredScript | undefined> {
  const sought = scriptKey(lab);
  if (sought === undefined) return undefined;
  const { nodes } = givenTo(lab);
  const onOthers = (of: LabDocument): number => (givenTo(of).nodes === nodes ? 0 : 1);
  const runs = (await store.listRuns())
    .filter((run) => run.startedAt !== undefined && isEnded(run.state) && scriptKey(run.lab) === sought)
    .sort((a, b) => onOthers(a.lab) - onOthers(b.lab) || b.createdAt - a.createdAt)
    .slice(0, maxRuns);
  for (const run of runs) {
    const ofRanks = new Map<string, MetricLine[]>();
    for (const { source, line } of await store.lines({ runId: run.id, kinds, limit: maxLines })) {
      const known = ofRanks.get(source);
      if (known === undefined) ofRanks.set(source, [line]);
      else known.push(line);
    }
    // Many scripts log on one rank alone.
    const [most] = [...ofRanks.values()].sort((a, b) => b.length - a.length);
    const pace = scriptPace(most ?? []);
    const { startedAt, endedAt } = run;
    const whole =
      run.state === 'finished' && run.attempt === 1 && startedAt !== undefined && endedAt !== undefined
        ? { seconds: Math.max(0, endedAt - startedAt) }
        : {};
    const found = { ...pace, ...whole };
    if (Object.keys(found).length > 0)
      return { runId: run.id, runName: run.name, ...givenTo(run.lab), ...found };
  }
  return undefined;
}
