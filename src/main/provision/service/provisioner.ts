/** The provisioner: prepares a lab's nodes in parallel, then their network. */
import { isCancelled, RinglabError, notFound } from '../../../shared/base/errors.ts';
import { trainingNodes, type LabDocument, type LabNode } from '../../../shared/lab/lab.ts';
import { hasSharedFolder, sessionNodeId } from '../../../shared/lab/reached.ts';
import { stepIds, type NodePlan } from '../../../shared/node/provision.ts';
import { ownerOf } from '../../net/index.ts';
import { createBundleStep } from './bundle-maker.ts';
import { signalOfWork } from '../../base/abort.ts';
import { systemClock } from '../../base/clock.ts';
import type { PrepareOptions, Provisioner, ReadyLab } from './contract.ts';
import type { ProvisionerOptions } from './options.ts';
import { onReached, prepareCluster } from './cluster.ts';
import { createPods } from './pods.ts';
import { createParts } from './parts.ts';
import { runStep, type StepRun } from '../engine/engine.ts';
import { lendingFor } from './lent.ts';
import { planNode } from './plan-node.ts';
import { createRendezvous, settle, type Prepared } from './rendezvous.ts';
import { lookingSteps, probingSteps } from '../steps/node-steps.ts';
import { createNodeShell } from '../node/node-shell.ts';
import { createAnswers } from '../node/questions.ts';
import { planNetwork } from '../network/planned-network.ts';
import { createReadinessBook } from '../node/readiness.ts';
import { removeFromNode } from './removal.ts';
import { createRights, forgetfulMemory } from '../node/rights.ts';
import type { Lock } from '../runtime/index.ts';
import { known, placeOf, type NodeWork, type ScriptCode, type Step } from '../engine/step.ts';
import { rebootStep } from '../driver/reboot-step.ts';
import { createLockStep } from '../steps/lock.ts';
import { createScriptCode, refuseDifferent } from '../script/index.ts';
import { createLimit } from '../../base/limit.ts';
import { createKeyedQueue } from '../../base/serial-queue.ts';

/** Maximum number of remembered ready nodes, over all labs; the oldest is dropped first. */
const maxRemembered = 20_000;

export function createProvisioner(options: ProvisionerOptions): Provisioner {
  const { reach, events, paths, networks, limit = 16, clock = systemClock } = options;
  const book = createReadinessBook(clock, (readiness) => events.emit('provision.changed', { readiness }));
  const rights = createRights({ prompter: options.prompter, memory: options.consents ?? forgetfulMemory() });
  const limited = createLimit(limit);
  // Serialised for each node of a lab; the second caller finds everything done.
  const turns = createKeyedQueue();
  const owner = ownerOf(paths.data);
  const connectNodes = createRendezvous({
    ...{ reach, networks, book, clock, rights, owner },
    connectSeconds: options.connectSeconds,
  });
  const parts = createParts(options, clock, owner);
  const { bundle, conda } = parts;
  const pods = createPods(reach, book);
  /** Results of ready nodes, for a later preparation of the others. */
  const ready = new Map<string, Prepared>();
  const key = (lab: { readonly id: string }, node: { readonly id: string }): string => `${lab.id} ${node.id}`;

  const stepRun = (
    lab: LabDocument,
    node: LabNode,
    work: NodeWork,
    signal: AbortSignal,
    code?: ScriptCode,
  ): StepRun => ({
    lab,
    node,
    status: book.node(lab.id, node.id),
    work,
    signal,
    clock,
    rights,
    redo: false,
    lending: lendingFor({ book, rights, allows: options.lendTo }, lab, node, signal),
    bundle,
    code,
    connect: () => pods.session(lab, node, signal),
  });
  /** A node that can be prepared or probed. */
  const nodeOf = (lab: LabDocument, nodeId: string): LabNode => {
    const node = trainingNodes(lab).find(({ id }) => id === nodeId);
    if (node === undefined) throw notFound('node', nodeId, lab.name);
    return node;
  };

  const runAll = async (
    list: readonly Step[],
    lab: LabDocument,
    node: LabNode,
    signal: AbortSignal,
    redo: PrepareOptions['redo'] = [],
    code?: ScriptCode,
  ): Promise<NodeWork> => {
    const status = book.node(lab.id, node.id);
    const work: NodeWork = {};
    const answers = createAnswers(clock);
    for (const [index, step] of list.entries()) {
      const following = list.slice(index + 1);
      await runStep(step, {
        ...stepRun(lab, node, work, signal, code),
        redo: redo.includes(placeOf(step).id),
        answers,
        following,
      });
      if (work.facts !== undefined) status.facts = work.facts;
    }
    return work;
  };

  const prepareNode = async (
    lab: LabDocument,
    node: LabNode,
    signal: AbortSignal,
    redo: PrepareOptions['redo'],
    code: ScriptCode | undefined,
  ): Promise<Prepared> => {
    const status = book.node(lab.id, node.id);
    ready.delete(key(lab, node));
    for (const id of stepIds) status.step(id).reset();
    status.lent = undefined;
    status.state = 'preparing';
    try {
      const prepared = { node, work: await runAll(parts.stepsOf(lab), lab, node, signal, redo, code) };
      ready.set(key(lab, node), prepared);
      const oldest = ready.keys().next().value;
      if (ready.size > maxRemembered && oldest !== undefined) ready.delete(oldest);
      return prepared;
    } catch (error) {
      status.state = isCancelled(error) ? 'cancelled' : 'failed';
      throw error;
    }
  };

  const prepare = async (lab: LabDocument, how: PrepareOptions = {}): Promise<ReadyLab> => {
    parts.readSourcesAnew();
    const signal = signalOfWork(how.signal);
    const code = createScriptCode(parts.code, lab, how.code);
    const prepareInTurn = (node: LabNode): Promise<Prepared> =>
      turns(key(lab, node), () => limited(() => prepareNode(lab, node, signal, how.redo, code)));
    const all = trainingNodes(lab);
    const chosen = all.filter((node) => how.nodeIds?.includes(node.id) ?? true);
    if (chosen.length === 0) throw notFound('node', how.nodeIds?.join(', ') ?? '', lab.name);
    code?.begin(signal);
    try {
      if (hasSharedFolder(lab)) {
        const made = await prepareCluster(book, lab, clock, prepareInTurn);
        return code === undefined ? made : { ...made, code: await code.take({ signal }) };
      }
      const results = await Promise.allSettled(chosen.map(prepareInTurn));
      const prepared = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      const errors = results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason as unknown] : [],
      );
      // Where the first node was never prepared, the selected nodes are treated as a lab. Where it was to be prepared
      // and failed, there is nothing to reach.
      const [lead] = all;
      // Another preparation of the first node forgets it meanwhile: this one's result comes first.
      const own = prepared.find(({ node }) => node === lead);
      const known0 = own ?? (lead === undefined ? undefined : ready.get(key(lab, lead)));
      const rank0 = known0 ?? (lead !== undefined && chosen.includes(lead) ? undefined : prepared[0]);
      const network =
        rank0 === undefined || signal.aborted
          ? undefined
          : await connectNodes(lab, rank0, prepared, signal).catch(
              (error: unknown) => void errors.push(error),
            );
      for (const { node } of prepared) settle(book.node(lab.id, node.id), network !== undefined, signal);
      const error = errors.find((one) => !isCancelled(one)) ?? errors[0];
      if (signal.aborted) throw new RinglabError('cancelled');
      if (error !== undefined)
        throw error instanceof Error ? error : new RinglabError('internal', {}, { cause: error });
      if (network === undefined) throw new Error('without a network there is an error');
      refuseDifferent(prepared);
      return code === undefined ? network : { ...network, code: await code.take({ signal }) };
    } finally {
      book.flush();
    }
  };

  /** Runs steps on one node, outside a preparation. */
  const alone = async (
    list: readonly Step[],
    lab: LabDocument,
    nodeId: string,
    signal: AbortSignal,
  ): Promise<NodeWork> => {
    const node = lab.nodes.find(({ id }) => id === nodeId);
    if (node === undefined || node.kind === 'switch') throw notFound('node', nodeId, lab.name);
    const status = book.node(lab.id, node.id);
    try {
      const work = await turns(key(lab, node), () => limited(() => runAll(list, lab, node, signal)));
      // It was unreachable before and no longer is; whether it is ready is still unknown.
      if (status.state === 'failed') status.state = 'unknown';
      return work;
    } catch (error) {
      if (!isCancelled(error)) status.state = 'failed';
      throw error;
    } finally {
      book.flush();
    }
  };

  return onReached({
    prepare: (lab, how) => pods.during(lab, () => prepare(lab, how)),
    probe: async (lab, nodeId, signal = new AbortController().signal) =>
      known(await alone(probingSteps(clock), lab, nodeId, signal), 'facts'),
    async reboot(lab, nodeId, signal = new AbortController().signal) {
      await alone([...lookingSteps(clock), rebootStep], lab, nodeId, signal);
    },
    async lock(lab, signal = new AbortController().signal) {
      const locks: Lock[] = [];
      const list = [...lookingSteps(clock), createLockStep(conda, locks)];
      try {
        for (const node of trainingNodes(lab))
          await turns(key(lab, node), () => runAll(list, lab, node, signal));
        return locks;
      } finally {
        book.flush();
      }
    },
    async bundle(lab, { folder, cuda } = {}, signal = new AbortController().signal) {
      parts.readSourcesAnew();
      const store = folder === undefined ? bundle : parts.bundleIn(folder);
      const code = createScriptCode(parts.code, lab, undefined);
      const list = [...lookingSteps(clock), createBundleStep({ ...parts, store, clock, cuda })];
      try {
        // Sequentially: the second node of a kind has nothing left to download.
        for (const node of trainingNodes(lab))
          await turns(key(lab, node), () => runAll(list, lab, node, signal, [], code));
        return { folder: store.folder, index: await store.read() };
      } finally {
        book.flush();
      }
    },
    takeBundle: (folder, options) => bundle.join(parts.bundleIn(folder), options),
    async plan(lab, { signal = new AbortController().signal, nodeIds, of = 'preparing' } = {}) {
      parts.readSourcesAnew();
      if (of === 'locking') {
        const list = [...lookingSteps(clock), createLockStep(conda, [], [])];
        const plans: NodePlan[] = [];
        // Sequentially, as they are locked.
        for (const node of trainingNodes(lab))
          plans.push(await planNode(list, node, (work) => stepRun(lab, node, work, signal)));
        return plans;
      }
      const chosen = trainingNodes(lab).filter(
        ({ id }) => (nodeIds?.includes(id) ?? true) && sessionNodeId(lab, id) === id,
      );
      const code = createScriptCode(parts.code, lab, undefined);
      const steps = parts.stepsOf(lab);
      const plans = await Promise.all(
        chosen.map((node) =>
          turns(key(lab, node), () =>
            limited(() => planNode(steps, node, (work) => stepRun(lab, node, work, signal, code))),
          ),
        ),
      );
      const [first, ...others] = plans;
      if (first === undefined) return [];
      // It is raised once, for all of them.
      return [{ ...first, steps: [...first.steps, await planNetwork(networks, lab)] }, ...others];
    },
    async remove(lab, nodeId, signal = new AbortController().signal) {
      const node = nodeOf(lab, nodeId);
      return turns(key(lab, node), async () => {
        const work = await runAll(lookingSteps(clock), lab, node, signal);
        const session = await reach.session(lab, node.id, signal);
        const status = book.node(lab.id, node.id);
        const shell = createNodeShell(session, status.step('facts'), signal);
        try {
          const removal = await removeFromNode(
            shell,
            known(work, 'facts'),
            rights.of(session),
            owner,
            signal,
          );
          ready.delete(key(lab, node));
          for (const id of stepIds) if (id !== 'reach' && id !== 'facts') status.step(id).reset();
          status.state = 'unknown';
          return removal;
        } catch (error) {
          throw error instanceof RinglabError ? error.at(node.name) : error;
        } finally {
          book.flush();
        }
      });
    },
    status: (lab) => book.status(lab),
    forget(labId, nodeId) {
      const status = book.node(labId, nodeId);
      // Its preparation ends with its own state.
      if (status.state === 'preparing') return;
      ready.delete(key({ id: labId }, { id: nodeId }));
      for (const id of stepIds) status.step(id).reset();
      status.facts = undefined;
      status.lent = undefined;
      status.state = 'unknown';
    },
  });
}
