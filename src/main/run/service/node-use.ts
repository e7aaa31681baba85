/** Checks whether a run of this app uses a node, including a run that has started nothing there yet. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { isUnderWay, type RunRecord } from '../../../shared/run/run.ts';
import type { Runs } from './contract.ts';

/** Before there are ranks, all nodes of the lab are being prepared. */
const uses = ({ state, ranks, lab }: RunRecord, nodeId: string): boolean =>
  isUnderWay(state) &&
  (ranks.length > 0
    ? ranks.some((rank) => rank.nodeId === nodeId)
    : lab.nodes.some(({ id }) => id === nodeId));

/** Throws `node_in_use` with the runs' names. */
export async function mustBeFree(runs: Pick<Runs, 'list'>, labId: string, nodeId: string): Promise<void> {
  const using = (await runs.list(labId)).filter((run) => uses(run, nodeId));
  if (using.length === 0) return;
  throw new RinglabError('node_in_use', { runs: using.map(({ name, id }) => `${name} (${id})`).join(', ') });
}
