/** Actions on a lab that also affect its runs and networks. */
import { isDeepStrictEqual } from 'node:util';
import { toWireError } from '../../shared/base/errors.ts';
import type { OpenLab, RunLab } from '../../shared/contract/api.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { asReached } from '../../shared/lab/reached.ts';
import type { NetworkState } from '../../shared/node/network.ts';
import { isUnderWay } from '../../shared/run/run.ts';
import { linkChanges } from '../run/index.ts';
import type { Services } from './services.ts';

/** A lab as a request refers to it: the id of a stored one, or the document itself. */
export type AskedLab = { readonly labId: string } | { readonly lab: LabDocument };

export interface LabActions {
  document(labId: string): Promise<LabDocument>;
  asked(asked: AskedLab): Promise<LabDocument>;
  /** Labs that only runs have: those of the command line's lab files, and deleted ones. The newest run first. */
  ofRuns(): Promise<RunLab[]>;
  /** The lab of a run, stored under its id where it is not. */
  fromRun(runId: string): Promise<OpenLab>;
  /** Saves the lab, updates its emulated network, and records the change in an active run. */
  save(lab: LabDocument, revision: number): Promise<OpenLab>;
  delete(labId: string): Promise<void>;
  /** Takes a link down or up. */
  cut(labId: string, linkId: string, down: boolean): Promise<NetworkState>;
}

export function createLabActions({
  labs,
  leftNodes,
  runs,
  networks,
  limits,
  events,
  reach,
  provisioner,
}: Pick<
  Services,
  'labs' | 'leftNodes' | 'runs' | 'networks' | 'limits' | 'events' | 'reach' | 'provisioner'
>): LabActions {
  const document = async (labId: string): Promise<LabDocument> => (await labs.open(labId)).lab;
  /** What is known of a node, such as that it failed, is of the machine that its access led to. */
  const forgetOthers = async (before: LabDocument, after: LabDocument): Promise<void> => {
    const then = asReached(before);
    const changed = asReached(after).nodes.filter(({ id, access }) => {
      const old = then.nodes.find((node) => node.id === id);
      return old !== undefined && !isDeepStrictEqual(old.access, access);
    });
    if (changed.length === 0) return;
    // A run in progress keeps the machines that it started on.
    if ((await runs.list(after.id)).some(({ state }) => isUnderWay(state))) return;
    for (const { id } of changed) {
      await reach.forget(after.id, id);
      provisioner.forget(after.id, id);
    }
  };
  return {
    document,
    asked: (asked) => ('lab' in asked ? Promise.resolve(asked.lab) : document(asked.labId)),
    async ofRuns() {
      const stored = new Set(await labs.ids());
      const others = (await runs.list()).filter(({ labId }) => !stored.has(labId));
      return [...Map.groupBy(others, ({ labId }) => labId)]
        .flatMap(([labId, all]) => {
          const newest = all.toSorted((a, b) => b.createdAt - a.createdAt)[0];
          return newest === undefined
            ? []
            : [{ labId, name: newest.lab.name, runId: newest.id, at: newest.createdAt, runs: all.length }];
        })
        .sort((a, b) => b.at - a.at);
    },
    async fromRun(runId) {
      const { lab, labId } = await runs.get(runId);
      return labs.openOr({ ...lab, id: labId });
    },
    async save(lab, revision) {
      const before = await document(lab.id).catch(() => undefined);
      const saved = await labs.save(lab, revision);
      if (before !== undefined) await runs.linksChanged(saved.lab.id, linkChanges(before, saved.lab));
      if (before !== undefined) await forgetOthers(before, saved.lab);
      // The drawing is saved in any case; an error is reported for a link that could not be changed.
      void Promise.all([networks.reshape(saved.lab), limits.reshape(saved.lab)]).catch((error: unknown) => {
        events.emit('app.problem', { error: toWireError(error) });
      });
      return saved;
    },
    async delete(labId) {
      // A file that cannot be read names no nodes.
      const nodes = await document(labId).then(
        (lab) => lab.nodes,
        () => [],
      );
      await labs.delete(labId);
      // Its ranks train on over the links, which are removed when the app closes.
      if ((await runs.list(labId)).some(({ state }) => isUnderWay(state))) return;
      // Local nodes have servers, which listened until the app closed.
      for (const { id } of nodes.filter(({ access }) => access.type === 'local')) {
        await reach.forget(labId, id);
        provisioner.forget(labId, id);
      }
      // An older one may have left the trash for it.
      leftNodes.remove().catch((error: unknown) => events.emit('app.problem', { error: toWireError(error) }));
      await networks.remove(labId);
    },
    async cut(labId, linkId, down) {
      await networks.setDown(labId, linkId, down);
      const lab = await document(labId);
      const ends = lab.links.find((link) => link.id === linkId)?.ends ?? [];
      const names = ends.map((id) => lab.nodes.find((node) => node.id === id)?.name ?? id);
      await runs.linksChanged(labId, [`${names.join(' – ')}: ${down ? '✕' : '✓'}`]);
      return networks.state(lab);
    },
  };
}
