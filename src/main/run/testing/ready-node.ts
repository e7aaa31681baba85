/** For tests: a prepared local node. */
import { defaultPlacement } from '../../../shared/lab/lab.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { ReadyNode } from '../../provision/index.ts';
import { factsOf } from './bench.ts';

export const readyNode = (
  id: string,
  facts: Partial<NodeFacts>,
  change: Partial<ReadyNode> = {},
): ReadyNode => ({
  node: {
    id,
    name: id,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' },
  },
  facts: { ...factsOf(`/home/${id}`), ...facts },
  trainer: '/opt/ringlab-train',
  data: '/data',
  address: '10.0.0.1',
  backend: 'gloo',
  processes: 1,
  environment: {},
  ...change,
});
