/** Whether a lab's drawing can be emulated, independently of the machine. Pure. */
import { trainingNodes, type LabDocument } from '../../shared/lab/lab.ts';
import { asReached } from '../../shared/lab/reached.ts';
import type { NotEmulated } from '../../shared/node/network.ts';
import { maxNodes } from './plan.ts';

/** Undefined where it can. */
export function whyNot(lab: LabDocument): NotEmulated | undefined {
  const nodes = trainingNodes(asReached(lab));
  if (nodes.some(({ access }) => access.type !== 'local')) return 'real_nodes';
  if (nodes.length < 2 || lab.links.length === 0) return 'nothing_drawn';
  return lab.nodes.length > maxNodes ? 'too_many_nodes' : undefined;
}
