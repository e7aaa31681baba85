/** Life cycle of emulated networks: one is removed when the app closes, unless a run uses it. */
import type { LabDocument } from '../../shared/lab/lab.ts';
import { toWireError } from '../../shared/base/errors.ts';
import { isEnded, isUnderWay, type RankRecord, type RunRecord } from '../../shared/run/run.ts';
import type { EventLog } from '../base/events.ts';
import type { Limits, Networks } from '../net/index.ts';
import type { Runs } from '../run/index.ts';
import type { Store } from '../store/index.ts';

export interface NetworkLife {
  /** Takes over networks that a previous process left for its runs, and removes the rest. Never rejects. */
  adopt(): Promise<void>;
  /** Removes the networks that no run uses. */
  close(): Promise<void>;
}

interface Parts {
  readonly networks: Pick<Networks, 'adopt' | 'reshape' | 'watch' | 'close'>;
  readonly limits: Limits;
  readonly runs: Pick<Runs, 'list'>;
  readonly store: Pick<Store, 'listRuns'>;
  readonly events: EventLog;
  /** The run's lab in its current version; where it was deleted, as it was when the run started. */
  readonly labNow: (run: RunRecord) => Promise<LabDocument>;
}

/** Whether processes of this run may be using the network. */
const isLive = ({ state }: RunRecord): boolean => isUnderWay(state) && state !== 'preparing';

/** Records of earlier versions have it only among the trainer's options; in an own script's they would be its own. */
function addressOf({ lab }: RunRecord, { address, argv }: RankRecord): string | undefined {
  if (address !== undefined) return address;
  const at = lab.experiment.script === undefined ? argv.indexOf('--address') : -1;
  return at < 0 ? undefined : argv[at + 1];
}

export function createNetworkLife({ networks, limits, runs, store, events, labNow }: Parts): NetworkLife {
  const report = (error: unknown): void => events.emit('app.problem', { error: toWireError(error) });
  const limit = (run: RunRecord): void => {
    const addresses = run.ranks.flatMap((rank): [string, string][] => {
      const address = addressOf(run, rank);
      return address === undefined ? [] : [[rank.nodeId, address]];
    });
    limits.apply(run.lab, new Map(addresses)).catch(report);
  };
  /** Ids of the runs that use the links of their lab. */
  const using = new Set<string>();
  const stop = events.subscribe((event) => {
    if (event.name !== 'run.changed') return;
    const { run } = event.data;
    // Changes to other runs of the lab (a star for an older one, a queued one removed) do not affect the run that
    // uses the links.
    if (!isLive(run) && !using.has(run.id)) return;
    using.add(run.id);
    networks.watch(run.labId, isLive(run));
    if (run.state === 'running') limit(run);
    else if (isEnded(run.state)) {
      using.delete(run.id);
      limits.lift(run.labId).catch(report);
    }
  });
  return {
    async adopt() {
      try {
        const live = (await store.listRuns()).filter(isLive);
        await networks.adopt(live.map((run): LabDocument => run.lab));
        for (const run of live) {
          using.add(run.id);
          networks.watch(run.labId, true);
          limit(run);
          const lab = await labNow(run);
          await Promise.all([networks.reshape(lab), limits.reshape(lab)]);
        }
      } catch (error) {
        report(error);
      }
    },
    async close() {
      stop();
      limits.close();
      const live = (await runs.list()).filter(isLive);
      await networks.close(live.map(({ labId }) => labId));
    },
  };
}
