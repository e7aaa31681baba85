/**
 * The last phase of a preparation: nodes that completed their own steps run the network step together, after which
 * the lab is ready.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import { plain } from '../../../shared/base/phrase.ts';
import { processesOn } from '../../../shared/lab/lab-check.ts';
import type { Reach } from '../../local/index.ts';
import type { Networks } from '../../net/index.ts';
import type { Clock } from '../../base/clock.ts';
import type { ReadyLab, ReadyNode } from './contract.ts';
import type { NetworkNode } from '../network/network-node.ts';
import { checkNetwork } from '../network/network.ts';
import { createPortPromises } from '../network/ports.ts';
import type { NodeStatus, ReadinessBook } from '../node/readiness.ts';
import { libtorchEnvironment, usableGpus } from '../node/libtorch.ts';
import type { Rights } from '../node/rights.ts';
import { known, type NodeWork } from '../engine/step.ts';
import { raiseTunnel, wantsTunnel } from '../network/tunnel/index.ts';
import { phrase } from '../../i18n/index.ts';

/** A node that completed its own steps. */
export interface Prepared {
  readonly node: LabNode;
  readonly work: NodeWork;
}

export interface RendezvousOptions {
  readonly reach: Pick<Reach, 'session'>;
  readonly networks: Pick<Networks, 'raise' | 'measured' | 'remembered'> | undefined;
  readonly book: Pick<ReadinessBook, 'node'>;
  readonly clock: Clock;
  readonly rights: Rights;
  /** The data folder's tag. */
  readonly owner: string;
  readonly connectSeconds: number | undefined;
}

/** The final state of a prepared node after the network step. */
export const settle = (status: NodeStatus, connected: boolean, signal: AbortSignal): void => {
  const step = status.step('network');
  if (step.state === 'failed') status.state = 'failed';
  else if (signal.aborted || step.state === 'cancelled') status.state = 'cancelled';
  else if (connected) status.state = 'ready';
  else {
    // Its results are kept, but without the others it cannot train.
    if (step.state !== 'done') {
      step.set({ state: 'cancelled', summary: plain('') });
      step.log.add(phrase('stepLog.unchecked'));
    }
    status.state = 'cancelled';
  }
};

/** @param prepared all nodes that will train; rank 0's may be among them, or have been prepared before */
export type Rendezvous = (
  lab: LabDocument,
  rank0: Prepared,
  prepared: readonly Prepared[],
  signal: AbortSignal,
) => Promise<ReadyLab>;

export function createRendezvous({
  reach,
  networks,
  book,
  clock,
  rights,
  owner,
  connectSeconds,
}: RendezvousOptions): Rendezvous {
  const ports = createPortPromises(clock);
  const networkNode = async (
    lab: LabDocument,
    { node, work }: Prepared,
    signal: AbortSignal,
  ): Promise<NetworkNode> => ({
    node,
    status: book.node(lab.id, node.id),
    session: await reach.session(lab, node.id, signal).catch((error: unknown) => {
      throw error instanceof RinglabError
        ? error.at(node.name)
        : new RinglabError('internal', {}, { where: node.name, cause: error });
    }),
    facts: known(work, 'facts'),
    trainer: known(work, 'trainer'),
    environment: libtorchEnvironment(work.libtorch),
    connectSeconds,
    tunnel: work.tunnel,
  });

  return async (lab, rank0, prepared, signal) => {
    const others = prepared.filter(({ node }) => node.id !== rank0.node.id);
    const first = await networkNode(lab, rank0, signal);
    const rest = await Promise.all(others.map((other) => networkNode(lab, other, signal)));
    const { master, addresses, enter, interfaces } = await checkNetwork({
      lab,
      nodes: [first, ...rest],
      ports,
      clock,
      signal,
      remembered: () => networks?.remembered(lab),
      onMeasured: (measurements) => networks?.measured(lab, measurements),
      encrypt: wantsTunnel(lab)
        ? (nodes, raised, record) => raiseTunnel({ lab, nodes, raised, record, rights, owner, signal })
        : undefined,
      raise: () => networks?.raise(lab, signal) ?? Promise.resolve(undefined),
    });
    return {
      master,
      nodes: prepared.map(({ node, work }) =>
        readyNode(lab, node, work, {
          address: addresses.get(node.id) ?? master.host,
          enter: enter.get(node.id),
          interface: interfaces.get(node.id),
        }),
      ),
    };
  };
}

interface Found {
  readonly address: string;
  readonly enter: string | undefined;
  readonly interface: string | undefined;
}

type Inputs = Pick<ReadyNode, 'data' | 'python' | 'pythonVersions' | 'engine' | 'codeFolder'>;
/** What the trainer or the script of a prepared node reads. */
export const inputsOf = (lab: LabDocument, work: NodeWork): Inputs =>
  lab.experiment.script === undefined
    ? { data: known(work, 'data') }
    : {
        data: '',
        python: known(work, 'python'),
        pythonVersions: known(work, 'pythonVersions'),
        engine: work.engine,
        codeFolder: known(work, 'codeFolder'),
      };

const readyNode = (
  lab: LabDocument,
  node: LabNode,
  work: NodeWork,
  { address, enter, interface: own }: Found,
): ReadyNode => ({
  node,
  facts: known(work, 'facts'),
  trainer: known(work, 'trainer'),
  ...inputsOf(lab, work),
  address,
  ...(enter === undefined ? {} : { enter }),
  ...(own === undefined ? {} : { interface: own }),
  backend: work.backend ?? 'gloo',
  gpus: usableGpus(known(work, 'facts'), lab.experiment.script === undefined ? work.libtorch : undefined),
  // A GPU without a driver is none to start a process for.
  processes: processesOn(lab, node, usableGpus(known(work, 'facts'), undefined)),
  environment: libtorchEnvironment(work.libtorch),
});
