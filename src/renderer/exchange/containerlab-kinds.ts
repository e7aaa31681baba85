/** Which nodes of a containerlab file train, and which only forward: its routers and switches are appliances. */
import { NodeKind } from '../../shared/lab/lab.ts';

/** Kinds of node that containerlab documents, by their makers; those of virtual machines begin with `vr-`. */
const appliances = new RegExp(
  `^(?:${[
    '(?:ovs-)?bridge',
    'srl|ceos|crpd|cvx|xrd|rare',
    'vr[-_].+',
    `(?:${[
      '6wind|arista|arrcus|aruba|checkpoint|cisco|cumulus|dell|f5|fdio|fortinet|huawei|ipinfusion',
      'juniper|mikrotik|nokia|paloalto|sonic|vyosnetworks',
    ].join('|')})[-_].+`,
  ].join('|')})$`,
);
/** Routers that run as a container of kind `linux`. */
const routerImage = /(?:^|\/)(?:bird2?|frr|frrouting|gobgp|openvswitch|quagga|vyos)(?:[:@/]|$)/;

export function kindOf(node: {
  /** What an export of a lab wrote: it is certain. */
  readonly exported: string | null | undefined;
  readonly kindName: string;
  readonly image: string | undefined;
  /** NaN where the file says nothing of them. */
  readonly gpus: number;
}): NodeKind {
  const exported = NodeKind.safeParse(node.exported);
  if (exported.success) return exported.data;
  if (appliances.test(node.kindName)) return 'switch';
  if (node.gpus > 0) return 'gpu';
  return routerImage.test(node.image ?? '') ? 'switch' : 'cpu';
}
