/** Brings the nodes of a lab to ready: every node's steps in parallel, then the network of them all. */
import { plain } from '../../../shared/node/diagnosis.ts';
import { isCancelled, RinglabError, notFound } from '../../../shared/base/errors.ts';
import { trainingNodes, type LabDocument, type LabNode } from '../../../shared/lab/lab.ts';
import { stepIds, type NodePlan, type PlannedStep } from '../../../shared/node/provision.ts';
import type { EventLog } from '../../base/events.ts';
import type { Reach } from '../../local/index.ts';
import { ownerOf, type Networks } from '../../net/index.ts';
import type { Paths, SecretStore } from '../../base/platform.ts';
import { createSecretMemory, type Prompter } from '../../ssh/index.ts';
import { join } from 'node:path';
import { createBucketKeys, keepsNothing } from '../data/bucket-keys.ts';
import { createBundleStore } from '../bundle/store.ts';
import { createBundleStep } from './bundle-maker.ts';
import { createKeyring } from '../bundle/signed-release.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { PrepareOptions, Provisioner, ReadyLab } from './contract.ts';
import { planStep, runStep, type StepRun } from '../engine/engine.ts';
import { createLending, type Lending, type LendingOptions } from '../node/lending.ts';
import { createMeeting, type Prepared } from './meeting.ts';
import { lookingSteps, nodeSteps, probingSteps } from '../steps/node-steps.ts';
import { createNodeShell } from '../node/node-shell.ts';
import { createAnswers } from '../node/questions.ts';
import { planNetwork } from '../network/planned-network.ts';
import { createReadinessBook } from '../node/readiness.ts';
import { removeFromNode } from './removal.ts';
import { createRights, forgetfulMemory, type ConsentMemory } from '../node/rights.ts';
import { createCondaRuntime, createLockBook, type Lock } from '../runtime/index.ts';
import { readSources, type TrainerSources } from '../trainer/sources.ts';
import { known, placeOf, type NodeWork, type Step } from '../engine/step.ts';
import { rebootStep } from '../driver/reboot-step.ts';
import { createDataS3 } from '../data/data-s3.ts';
import { createDataUpload } from '../data/data-upload.ts';
import { createLockStep } from '../steps/lock.ts';
import { createTrainerShelf, type DescribeBinary } from '../trainer/trainer-shelf.ts';
import { createLimit } from '../../base/limit.ts';
import { createKeyedQueue } from '../../base/serial-queue.ts';

export interface ProvisionerOptions {
  readonly reach: Pick<Reach, 'session'>;
  readonly events: Pick<EventLog, 'emit'>;
  readonly paths: Pick<Paths, 'nativeSource' | 'trainerBinary' | 'data' | 'home'> &
    Partial<Pick<Paths, 'assets'>>;
  /** Makes drawn networks of local nodes real; without it nodes meet on the networks that are there. */
  readonly networks?: Pick<Networks, 'raise' | 'changes' | 'measured' | 'remembered'>;
  /** Nodes that are worked on at the same time; 16 unless told. */
  readonly limit?: number;
  readonly clock?: Clock;
  /** Asks the user for consents and sudo passwords. */
  readonly prompter: Prompter;
  /** Where buckets' secret keys are remembered; until the app closes unless told. */
  readonly secrets?: SecretStore;
  /** Where consents are remembered; until the app closes unless told. */
  readonly consents?: ConsentMemory;
  /** How the trainer of this computer is asked what it is. */
  readonly describeBinary?: DescribeBinary;
  /** Which addresses a node may reach through a lent connection; the internet unless told. */
  readonly lendTo?: LendingOptions['allows'];
}

/** Nodes that are remembered as ready, over all labs; the oldest is forgotten first. */
const maxRemembered = 20_000;

export function createProvisioner(options: ProvisionerOptions): Provisioner {
  const { reach, events, paths, networks, limit = 16, clock = systemClock } = options;
  const book = createReadinessBook(clock, (readiness) => events.emit('provision.changed', { readiness }));
  const rights = createRights({
    prompter: options.prompter,
    memory: options.consents ?? forgetfulMemory(),
  });
  const limited = createLimit(limit);
  // One node of one lab is worked on by one at a time; who comes second finds everything done.
  const turns = createKeyedQueue();
  const owner = ownerOf(paths.data);
  const connectNodes = createMeeting({ reach, networks, book, clock, rights, owner });
  // The distributions' keys that are shipped, and those of other archives that the user has put beside the labs.
  const keyring = createKeyring([
    ...(paths.assets === undefined ? [] : [join(paths.assets, 'archive-keys')]),
    join(paths.data, 'archive-keys'),
  ]);
  const bundle = createBundleStore(join(paths.data, 'bundle'), { keyring });
  const conda = createCondaRuntime({
    locks: createLockBook(join(paths.data, 'locks')),
    micromamba: join(paths.data, 'micromamba'),
    bundle,
    clock,
  });
  // Read once for all nodes of a preparation, anew for the next: a developer changes them while the app runs.
  let reading: Promise<TrainerSources> | undefined;
  const sources = (): Promise<TrainerSources> => (reading ??= readSources(paths.nativeSource));
  const shelf = createTrainerShelf({
    folder: join(paths.data, 'trainers'),
    prebuilt: paths.trainerBinary,
    bundle,
    ...(options.describeBinary === undefined ? {} : { describe: options.describeBinary }),
  });
  const steps = nodeSteps({
    clock,
    owner,
    home: paths.home,
    conda,
    upload: createDataUpload(paths.home),
    s3: createDataS3(createBucketKeys(options.prompter, createSecretMemory(options.secrets ?? keepsNothing))),
    sources,
    shelf,
  });
  /** What was found out about nodes that are ready, for a later preparation of the others. */
  const ready = new Map<string, Prepared>();
  const key = (lab: LabDocument, node: LabNode): string => `${lab.id} ${node.id}`;

  const stepRun = (lab: LabDocument, node: LabNode, work: NodeWork, signal: AbortSignal): StepRun => ({
    lab,
    node,
    status: book.node(lab.id, node.id),
    work,
    signal,
    clock,
    rights,
    redo: false,
    lending: lendingFor(lab, node, signal),
    bundle,
    connect: () => reach.session(lab, node.id, signal),
  });
  /** Undefined for most: it is off by default, and a local node has this computer's connection anyway. */
  const lendingFor = (lab: LabDocument, node: LabNode, signal: AbortSignal): Lending | undefined => {
    if (node.lendInternet !== true || node.access.type === 'local') return undefined;
    const status = book.node(lab.id, node.id);
    return createLending({
      from: status.lent,
      onChange: (lent) => {
        status.lent = lent;
      },
      // The switch stands in the lab, which may be a stranger's: the user's word stands on this computer.
      permit: (session) => rights.of(session).allowLending(signal),
      allows: options.lendTo,
    });
  };

  /** A node that training or probing may be asked of. */
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
  ): Promise<NodeWork> => {
    const status = book.node(lab.id, node.id);
    const work: NodeWork = {};
    const answers = createAnswers(clock);
    for (const [index, step] of list.entries()) {
      const following = list.slice(index + 1);
      await runStep(step, {
        ...stepRun(lab, node, work, signal),
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
  ): Promise<Prepared> => {
    const status = book.node(lab.id, node.id);
    ready.delete(key(lab, node));
    for (const id of stepIds) status.step(id).reset();
    status.lent = undefined;
    status.state = 'preparing';
    try {
      const prepared = { node, work: await runAll(steps, lab, node, signal, redo) };
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
    reading = undefined;
    const signal = how.signal ?? new AbortController().signal;
    const all = trainingNodes(lab);
    const chosen = all.filter((node) => how.nodeIds?.includes(node.id) ?? true);
    if (chosen.length === 0) {
      const id = how.nodeIds?.join(', ') ?? '';
      throw notFound('node', id, lab.name);
    }
    try {
      const results = await Promise.allSettled(
        chosen.map((node) =>
          turns(key(lab, node), () => limited(() => prepareNode(lab, node, signal, how.redo))),
        ),
      );
      const prepared = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      const errors = results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason as unknown] : [],
      );
      // A part of a lab whose first node was never prepared is a lab of its own. Where the first node was to be prepared
      // and failed, there is nothing to reach.
      const [lead] = all;
      const known0 = lead === undefined ? undefined : ready.get(key(lab, lead));
      const rank0 = known0 ?? (lead !== undefined && chosen.includes(lead) ? undefined : prepared[0]);
      const network =
        rank0 === undefined || signal.aborted
          ? undefined
          : await connectNodes(lab, rank0, prepared, signal).catch(
              (error: unknown) => void errors.push(error),
            );
      for (const { node } of prepared) settle(lab, node, network !== undefined, signal);
      const error = errors.find((one) => !isCancelled(one)) ?? errors[0];
      if (signal.aborted) throw new RinglabError('cancelled');
      if (error !== undefined)
        throw error instanceof Error ? error : new RinglabError('internal', {}, { cause: error });
      if (network === undefined) throw new Error('without a network there is an error');
      return network;
    } finally {
      book.flush();
    }
  };

  const settle = (lab: LabDocument, node: LabNode, connected: boolean, signal: AbortSignal): void => {
    const status = book.node(lab.id, node.id);
    const step = status.step('network');
    if (step.state === 'failed') status.state = 'failed';
    else if (signal.aborted || step.state === 'cancelled') status.state = 'cancelled';
    else if (connected) status.state = 'ready';
    else {
      // What was found out about it stands; but without the others it trains nothing.
      if (step.state !== 'done') {
        step.set({ state: 'cancelled', summary: plain('') });
        step.log.add('not checked: another node failed');
      }
      status.state = 'cancelled';
    }
  };

  const planNode = async (
    list: readonly Step[],
    lab: LabDocument,
    node: LabNode,
    signal: AbortSignal,
  ): Promise<NodePlan> => {
    const work: NodeWork = {};
    const planned: PlannedStep[] = [];
    for (const step of list) {
      const one = await planStep(step, stepRun(lab, node, work, signal));
      planned.push(one);
      // Without a connection or facts there is nothing to plan with.
      if (one.state === 'blocked' && (step.id === 'reach' || step.id === 'facts')) break;
    }
    return { nodeId: node.id, nodeName: node.name, steps: planned };
  };

  /** Steps on one node, outside a preparation. */
  const alone = async (
    list: readonly Step[],
    lab: LabDocument,
    nodeId: string,
    signal: AbortSignal,
  ): Promise<NodeWork> => {
    const node = lab.nodes.find(({ id }) => id === nodeId);
    if (node === undefined || node.kind === 'switch') {
      throw notFound('node', nodeId, lab.name);
    }
    const status = book.node(lab.id, node.id);
    try {
      const work = await turns(key(lab, node), () => limited(() => runAll(list, lab, node, signal)));
      // It was out of reach before and is not any more; whether it is ready is not known by this.
      if (status.state === 'failed') status.state = 'unknown';
      return work;
    } catch (error) {
      if (!isCancelled(error)) status.state = 'failed';
      throw error;
    } finally {
      book.flush();
    }
  };

  return {
    prepare,
    probe: async (lab, nodeId, signal = new AbortController().signal) =>
      known(await alone(probingSteps(clock), lab, nodeId, signal), 'facts'),
    async reboot(lab, nodeId, signal = new AbortController().signal) {
      await alone([...lookingSteps(clock), rebootStep], lab, nodeId, signal);
    },
    async lock(lab, signal = new AbortController().signal) {
      const locks: Lock[] = [];
      const list = [...lookingSteps(clock), createLockStep(conda, locks)];
      try {
        // One after another: the second node of a kind has nothing to solve.
        for (const node of trainingNodes(lab))
          await turns(key(lab, node), () => runAll(list, lab, node, signal));
        return locks;
      } finally {
        book.flush();
      }
    },
    async bundle(lab, out, signal = new AbortController().signal) {
      reading = undefined;
      const store = out === undefined ? bundle : createBundleStore(out, { keyring });
      const list = [...lookingSteps(clock), createBundleStep({ store, conda, shelf, sources, clock })];
      try {
        // One after another: the second node of a kind has nothing left to fetch.
        for (const node of trainingNodes(lab))
          await turns(key(lab, node), () => runAll(list, lab, node, signal));
        return { folder: store.folder, index: await store.read() };
      } finally {
        book.flush();
      }
    },
    takeBundle: (folder, options) => bundle.join(createBundleStore(folder, { keyring }), options),
    async plan(lab, { signal = new AbortController().signal, nodeIds, of = 'preparing' } = {}) {
      reading = undefined;
      if (of === 'locking') {
        const list = [...lookingSteps(clock), createLockStep(conda, [], [])];
        const plans: NodePlan[] = [];
        // One after another, as they are locked.
        for (const node of trainingNodes(lab)) plans.push(await planNode(list, lab, node, signal));
        return plans;
      }
      const chosen = trainingNodes(lab).filter(({ id }) => nodeIds?.includes(id) ?? true);
      const plans = await Promise.all(
        chosen.map((node) => turns(key(lab, node), () => limited(() => planNode(steps, lab, node, signal)))),
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
  };
}
