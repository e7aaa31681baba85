/** The emulated networks of all labs: raise, find, update, monitor, remove. */
import { createSerialQueue } from '../base/serial-queue.ts';
import { RinglabError, notFound } from '../../shared/base/errors.ts';
import { trainingNodes, type LabDocument } from '../../shared/lab/lab.ts';
import type { NetworkState } from '../../shared/node/network.ts';
import { linkName, separatingLinks } from '../../shared/lab/links-down.ts';
import { topologyOf, unreachablePair } from '../../shared/lab/topology.ts';
import type { EventLog } from '../base/events.ts';
import { createChanges, isWhole } from './changes.ts';
import type { NetworkChange, Networks, RaisedNetwork } from './contract.ts';
import { whyNot } from './eligible.ts';
import { hasNamespaces, inspect, type Standing } from './inspect.ts';
import { rememberSuccess, tryAbility, type Ability } from './means.ts';
import { ownerOf } from './names.ts';
import { createMeasuredPaths } from './measured-paths.ts';
import { planNetwork, type NetworkPlan } from './plan.ts';
import { alone, enterText, type RootShell } from './root-shell.ts';
import { planNow, reroutes, routesNow, type Routed } from './reroute.ts';
import { downScript, rejoinScript, shapeScript } from './script.ts';
import { reshapedLinks, shapesOf, withDeletedLinks } from './reshaped.ts';
import { lackingOf, type KernelMeans } from './shaping.ts';
import { watchLinks, type LinkWatch } from './watch.ts';
import { runScript } from './run-script.ts';

export interface NetworksOptions {
  /** Identifies the owner of namespaces. */
  readonly dataFolder: string;
  readonly events: Pick<EventLog, 'emit'>;
  /** The trainer of this computer, which emulates delay where the kernel cannot; it need not be built. */
  readonly trainerBinary?: string | undefined;
  /** Detects what this machine supports; called again after a failure. */
  readonly ability?: () => Promise<Ability>;
}

interface Raised extends Routed {
  lab: LabDocument;
  down: ReadonlySet<string>;
  watch: LinkWatch | undefined;
}

export function createNetworks({
  dataFolder,
  events,
  trainerBinary,
  ability = () => tryAbility(trainerBinary),
}: NetworksOptions): Networks {
  const owner = ownerOf(dataFolder);
  const raised = new Map<string, Raised>();
  const measured = createMeasuredPaths();
  const able = rememberSuccess(ability);
  /** Serialises changes of all labs: they share the host's addresses. */
  const inTurn = createSerialQueue();

  const { ours, takeDownScript, changesTo: changesFrom } = createChanges(owner);
  /** Links that are down stay down, and routes keep away from them. */
  const changesTo: typeof changesFrom = (lab, plan, means, standing) => {
    const known = raised.get(lab.id);
    return changesFrom(lab, plan, means, standing, known && planNow({ ...known, lab }, owner));
  };
  const takeDown = async (shell: RootShell, standing: Standing, labId: string): Promise<void> => {
    const script = takeDownScript(standing, labId);
    if (script.trim() !== '') await runScript(shell, 'remove', script, labId);
  };

  const stateOf = async (lab: LabDocument): Promise<NetworkState> => {
    const standing = raised.get(lab.id);
    const can = await able();
    const means: KernelMeans = can.able ? can.means : { tbf: false, htb: false, netem: false };
    const reason =
      whyNot(lab) ??
      (can.able ? undefined : can.reason) ??
      (standing === undefined ? 'not_raised' : undefined);
    const planned = new Set(standing?.plan.links.map(({ linkId }) => linkId));
    const possible = reason === undefined || reason === 'not_raised';
    return {
      labId: lab.id,
      emulated: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      ...(can.able || can.detail === '' ? {} : { detail: can.detail }),
      links: lab.links.map((link) => ({
        linkId: link.id,
        emulated: reason === undefined && planned.has(link.id),
        lacking: possible ? lackingOf(link, means) : [],
        down: reason === undefined && (standing?.down.has(link.id) ?? false),
      })),
      paths: measured.of(lab),
    };
  };
  const publish = async (lab: LabDocument): Promise<void> => {
    events.emit('net.changed', { state: await stateOf(lab) });
  };

  const faceOf = (plan: NetworkPlan, shell: RootShell): RaisedNetwork => ({
    labId: plan.labId,
    place(nodeId) {
      const node = plan.nodes.find((candidate) => candidate.nodeId === nodeId);
      if (node?.address === undefined) return undefined;
      return { namespace: node.namespace, address: node.address, enter: enterText(node.namespace, shell) };
    },
  });
  /** Removes what was left incomplete. */
  const make = async (
    lab: LabDocument,
    { what, script }: NetworkChange,
    { shell }: Ability & { able: true },
  ): Promise<void> => {
    try {
      await runScript(shell, what, script, lab.name);
    } catch (error) {
      if (what === 'create') await takeDown(shell, await inspect(shell), lab.id).catch(() => undefined);
      throw error;
    }
  };
  /** Undefined where the network is not emulated. Throws network_apart. */
  const mayRaise = async (lab: LabDocument): Promise<(Ability & { able: true }) | undefined> => {
    if (whyNot(lab) !== undefined) return undefined;
    const can = await able(true);
    if (!can.able) return undefined;
    const apart = unreachablePair(
      topologyOf(lab),
      trainingNodes(lab).map(({ id }) => id),
    );
    if (apart !== undefined) {
      const [from, to] = apart.map((id) => lab.nodes.find((node) => node.id === id)?.name ?? id);
      throw new RinglabError('network_apart', { from: from ?? '', to: to ?? '' }, { where: to });
    }
    return can;
  };

  const onDown = (labId: string, down: ReadonlySet<string>): void => {
    const network = raised.get(labId);
    if (network === undefined) return;
    const isBack = [...network.down].some((linkId) => !down.has(linkId));
    const isNew = [...down].some((linkId) => !network.down.has(linkId));
    network.down = down;
    void inTurn(async () => {
      const can = await able();
      if ((isBack || reroutes(network)) && can.able) await can.shell.run(routesNow(network, owner));
      if (isNew && can.able)
        await can.shell.run(rejoinScript(network.plan, shapesOf(network.lab), can.means));
      await publish(network.lab);
    });
  };
  const setWatch = (labId: string, on: boolean): void => {
    const network = raised.get(labId);
    if (network === undefined || (network.watch !== undefined) === on) return;
    if (!on) {
      network.watch?.close();
      network.watch = undefined;
      return;
    }
    void able().then((can) => {
      if (!can.able || network.watch !== undefined || raised.get(labId) !== network) return;
      network.watch = watchLinks(network.plan, can.shell, {
        traffic: (links) => events.emit('net.traffic', { labId, links }),
        down: (down) => onDown(labId, down),
      });
    });
  };
  const forget = (labId: string): void => {
    setWatch(labId, false);
    raised.delete(labId);
  };
  const removeNow = async (labId: string): Promise<void> => {
    const lab = raised.get(labId)?.lab;
    forget(labId);
    measured.forget(labId);
    if (!(await hasNamespaces())) return;
    const can = await able();
    if (!can.able) return;
    const standing = await inspect(can.shell);
    await takeDown(can.shell, standing, labId);
    if (lab !== undefined) await publish(lab);
  };

  return {
    async changes(lab) {
      const can = await mayRaise(lab);
      if (can === undefined) return undefined;
      return inTurn(async () => changesTo(lab, planNetwork(lab, owner), can.means, await inspect(can.shell)));
    },
    async place(labId, nodeId) {
      const network = raised.get(labId);
      const can = network === undefined ? undefined : await able();
      return network !== undefined && can?.able === true
        ? faceOf(network.plan, can.shell).place(nodeId)
        : undefined;
    },
    async raise(lab) {
      const can = await mayRaise(lab);
      if (can === undefined) return undefined;
      const build = async (): Promise<RaisedNetwork> => {
        const plan = planNetwork(lab, owner);
        const standing = await inspect(can.shell);
        if (!isWhole(plan, ours(standing, lab.id))) {
          forget(lab.id);
          measured.forget(lab.id);
        }
        for (const change of changesTo(lab, plan, can.means, standing)) await make(lab, change, can);
        const was = raised.get(lab.id)?.lab;
        if (was !== undefined) measured.forgetLinks(lab, reshapedLinks(was, lab));
        const before = raised.get(lab.id);
        if (before === undefined)
          raised.set(lab.id, { plan, drawn: lab, lab, down: new Set(), watch: undefined });
        else before.lab = lab;
        await publish(lab);
        return faceOf(plan, can.shell);
      };
      return inTurn(() => alone(can.shell, build));
    },
    reshape: (lab) =>
      inTurn(async () => {
        const network = raised.get(lab.id);
        if (network === undefined) {
          await publish(lab);
          return;
        }
        const can = await able();
        if (!can.able) return;
        const next = withDeletedLinks(network.lab, lab, network.plan.links);
        const reshaped = reshapedLinks(network.lab, next);
        const now = planNow({ ...network, lab: next }, owner);
        const changed = now.links.filter(({ linkId }) => reshaped.includes(linkId));
        if (changed.length > 0) {
          const script = shapeScript(now, changed, shapesOf(next), can.means);
          await runScript(can.shell, 'shape', script, lab.name);
          measured.forgetLinks(lab, reshaped);
        }
        network.lab = next;
        await publish(lab);
      }),
    // A run must be able to detect a pulled cable.
    remembered: (lab) => (raised.get(lab.id)?.down.size === 0 ? measured.recent(lab.id) : undefined),
    measured(lab, measurements) {
      measured.put(lab.id, measurements);
      void inTurn(() => publish(lab));
    },
    state: stateOf,
    linksDown(labId) {
      const network = raised.get(labId);
      if (network === undefined) return [];
      const { lab, down } = network;
      return separatingLinks(lab, down).map((link) => linkName(lab, link));
    },
    setDown: (labId, linkId, down) =>
      inTurn(async () => {
        const network = raised.get(labId);
        const link = network?.plan.links.find((candidate) => candidate.linkId === linkId);
        const can = await able();
        if (network === undefined || link === undefined || !can.able) throw notFound('link', linkId, labId);
        await runScript(can.shell, 'link', downScript(link, down), network.lab.name);
        const next = new Set(network.down);
        if (down) next.add(linkId);
        else next.delete(linkId);
        network.down = next;
        if (!down || reroutes(network)) await can.shell.run(routesNow(network, owner));
        await publish(network.lab);
      }),
    adopt: (live) =>
      inTurn(async () => {
        // Detecting support takes time and, without root, leaves a line in sudo's log.
        if (!(await hasNamespaces())) return;
        const can = await able();
        if (!can.able) return;
        const standing = await inspect(can.shell);
        const labIds = new Set(
          [...standing.namespaces, ...standing.hostDevices]
            .filter(({ mark }) => mark.owner === owner)
            .map(({ mark }) => mark.labId),
        );
        for (const labId of labIds) {
          if (raised.has(labId)) continue;
          const lab = live.find(({ id }) => id === labId);
          const plan = lab === undefined ? undefined : planNetwork(lab, owner);
          if (lab !== undefined && plan !== undefined && isWhole(plan, ours(standing, labId))) {
            // A link may have been edited and edited back since the start of the run.
            await runScript(
              can.shell,
              'shape',
              shapeScript(plan, plan.links, shapesOf(lab), can.means),
              lab.name,
            );
            raised.set(labId, { plan, drawn: lab, lab, down: new Set(), watch: undefined });
            await publish(lab);
          } else if (lab === undefined) await takeDown(can.shell, standing, labId);
        }
      }),
    remove: (labId) => inTurn(() => removeNow(labId)),
    watch: setWatch,
    close: (keep) =>
      inTurn(async () => {
        for (const labId of [...raised.keys()]) {
          if (keep.includes(labId)) forget(labId);
          else await removeNow(labId);
        }
      }),
  };
}
