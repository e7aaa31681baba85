/**
 * Prepares a lab that runs on a cluster: everything is installed once, on the login node or in the access pod, in the folder that
 * all its machines share. What a cluster's administrators decide is not touched: drivers, networks.
 */
import { notFound, RinglabError } from '../../../shared/base/errors.ts';
import { drawnGpus, processesOn } from '../../../shared/lab/lab-check.ts';
import { trainingNodes, type LabDocument, type LabNode } from '../../../shared/lab/lab.ts';
import { asReached } from '../../../shared/lab/reached.ts';
import { stepIds, type StepId } from '../../../shared/node/provision.ts';
import { allocated } from '../../base/allocated.ts';
import type { Clock } from '../../base/clock.ts';
import { phrase } from '../../i18n/index.ts';
import { known, placeOf, type Step } from '../engine/step.ts';
import type { ReadinessBook } from '../node/readiness.ts';
import { libtorchEnvironment } from '../node/libtorch.ts';
import type { Provisioner, ReadyLab, ReadyNode } from './contract.ts';
import { inputsOf, type Prepared } from './rendezvous.ts';

/** Rows whose steps have nothing to do on a login node, and in pods that are machines of their own. */
const leftOut: ReadonlySet<StepId> = new Set(['verify', 'tunnel']);
const leftOutInPods: ReadonlySet<StepId> = new Set(['tunnel']);

const nothingToDo = (id: StepId): Step => ({
  id,
  foresee: () => Promise.resolve([]),
  check: () => Promise.resolve(phrase('summaries.cluster.ofCluster')),
  apply: () => Promise.resolve(),
  verify: () => Promise.resolve(phrase('summaries.cluster.ofCluster')),
});

/**
 * The same steps on a cluster. In place of a driver the job itself is looked at: would the cluster take it?
 * @param check asks the cluster
 * @param inPods each node is prepared in its own pod
 */
export const clusterSteps = (steps: readonly Step[], check: Step, inPods = false): Step[] =>
  steps.map((step) => {
    const { id } = placeOf(step);
    if (id === 'driver') return check;
    return (inPods ? leftOutInPods : leftOut).has(id) ? nothingToDo(id) : step;
  });

/**
 * The ready nodes of a prepared login node. Their addresses are decided when the job starts.
 * @throws runtime_cpu_build where the cluster is asked for GPUs that this libtorch cannot use
 */
export function readyOnCluster(
  lab: LabDocument,
  nodes: readonly LabNode[],
  { work }: Pick<Prepared, 'work'>,
): ReadyLab {
  const facts = known(work, 'facts');
  const ready = nodes.map((node): ReadyNode => {
    const gpus = drawnGpus(node);
    const wantsGpu = gpus > 0 && lab.experiment.backend !== 'gloo';
    if (wantsGpu && lab.experiment.script === undefined && work.libtorch?.cuda === undefined)
      throw new RinglabError(
        'runtime_cpu_build',
        { libtorch: `libtorch ${work.libtorch?.version ?? ''}`, gpu: node.placement.flavour.gpuModel },
        { where: node.name },
      );
    return {
      node,
      facts: {
        ...facts,
        cpus: node.placement.cpus,
        memoryBytes: node.placement.memoryGb * 1024 ** 3,
        limits: undefined,
        gpus: Array.from({ length: gpus }, (_, index) => ({ index, name: node.placement.flavour.gpuModel })),
        // Each is a machine of its own, and none of them is the login node.
        bootId: `${facts.bootId} ${node.id}`,
        addresses: [],
      },
      trainer: known(work, 'trainer'),
      ...inputsOf(lab, work),
      address: allocated.address,
      backend: wantsGpu ? 'nccl' : 'gloo',
      processes: processesOn(lab, node),
      environment: libtorchEnvironment(work.libtorch),
    };
  });
  return { nodes: ready, master: { host: allocated.host, port: lab.experiment.port } };
}

/** What was found and done on the login node, as each of the lab's nodes shows it. */
function showOnAll(
  book: Pick<ReadinessBook, 'node'>,
  lab: LabDocument,
  nodes: readonly LabNode[],
  first: LabNode,
  clock: Clock,
): void {
  const done = book.node(lab.id, first.id);
  const summary = phrase('summaries.cluster.network');
  const at = clock.now() / 1000;
  done.step('network').set({ state: 'done', alreadyThere: true, summary, startedAt: at, endedAt: at });
  done.state = 'ready';
  for (const { id } of nodes) {
    if (id === first.id) continue;
    const status = book.node(lab.id, id);
    for (const step of stepIds) {
      const { state, alreadyThere, summary: found, startedAt, endedAt, instead } = done.step(step).snapshot();
      const shown = status.step(step);
      shown.reset();
      shown.set({
        ...{ state, alreadyThere, summary: found, startedAt, endedAt },
        ...(instead === undefined ? {} : { instead }),
      });
    }
    status.facts = done.facts;
    status.state = 'ready';
  }
}

/** @param prepare prepares one node: on a cluster one stands for all, its login node */
export async function prepareCluster(
  book: Pick<ReadinessBook, 'node'>,
  lab: LabDocument,
  clock: Clock,
  prepare: (node: LabNode) => Promise<Prepared>,
): Promise<ReadyLab> {
  const nodes = trainingNodes(lab);
  const [first] = nodes;
  if (first === undefined) throw notFound('node', '', lab.name);
  const ready = readyOnCluster(lab, nodes, await prepare(first));
  showOnAll(book, lab, nodes, first, clock);
  return ready;
}

/** The provisioner of labs whose nodes are as they are reached: on a cluster by the login node's access. */
export const onReached = (made: Provisioner): Provisioner => ({
  ...made,
  prepare: (lab, options) => made.prepare(asReached(lab), options),
  probe: (lab, ...rest) => made.probe(asReached(lab), ...rest),
  lock: (lab, ...rest) => made.lock(asReached(lab), ...rest),
  bundle: (lab, ...rest) => made.bundle(asReached(lab), ...rest),
  plan: (lab, ...rest) => made.plan(asReached(lab), ...rest),
  remove: (lab, ...rest) => made.remove(asReached(lab), ...rest),
  reboot: (lab, ...rest) => made.reboot(asReached(lab), ...rest),
});
