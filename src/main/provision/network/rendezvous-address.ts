/** Finds the rendezvous: the address and port at which the other nodes can reach rank 0. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { candidateAddresses } from '../node/addresses.ts';
import { recorded } from '../engine/engine.ts';
import { connect, listen, type Listener, type Measured } from './listener.ts';
import { connectHere } from './loopback.ts';
import type { NetworkNode, NetworkOptions } from './network-node.ts';
import { createNodeShell, type NodeShell } from '../node/node-shell.ts';
import { listeningScript, machineOf, parseListening, maxPortAttempts } from './ports.ts';
import type { StepStatus } from '../node/readiness.ts';
import { behindNat, type Trier } from './way-back.ts';
import { phrase } from '../../i18n/index.ts';

const loopback = '127.0.0.1';
export const noListener: Listener = { secret: '', stop: () => Promise.resolve() };

interface Place {
  readonly at: NetworkNode;
  readonly shell: NodeShell;
  readonly enter: string | undefined;
}
export const place = (
  at: NetworkNode,
  record: StepStatus,
  signal: AbortSignal,
  enter: ReadonlyMap<string, string>,
): Place => ({
  at,
  shell: createNodeShell(at.session, record, signal, enter.get(at.node.id)),
  enter: enter.get(at.node.id),
});
export const trier = ({ at, shell }: Place): Trier => ({ ...at, name: at.node.name, shell });
/** Identifies the port space: a machine, or a network namespace. */
export const portSpace = ({ at, enter }: Place): string => enter ?? machineOf(at.facts);

/** The first port that is free, reserved for this run, and on which listening succeeds. */
export async function takePort(
  rank0: Place,
  { lab, ports }: NetworkOptions,
  record: StepStatus,
  {
    candidates,
    listen: listenOtherwise,
  }: {
    candidates: readonly string[];
    listen: ((port: number) => Promise<Listener | undefined>) | undefined;
  },
): Promise<{ port: number; listener: Listener }> {
  const machine = portSpace(rank0);
  const wanted = lab.experiment.port;
  const output = await rank0.shell.run(listeningScript, {
    label: phrase('nodeCommands.ports'),
    quiet: true,
    brief: true,
  });
  const taken = parseListening(output);
  const listened = candidates.length === 0 ? [loopback] : candidates;
  for (;;) {
    const port = ports.promise(machine, wanted, taken, lab.id);
    if (port === undefined) {
      throw new RinglabError(
        'no_free_port',
        { first: wanted, last: Math.min(65_535, wanted + maxPortAttempts - 1), host: rank0.at.node.name },
        { where: rank0.at.node.name },
      );
    }
    if (port !== wanted) record.log.add(phrase('stepLog.portTaken', { wanted, port }));
    try {
      const listener = await (listenOtherwise?.(port) ?? listen(rank0.shell, rank0.at, listened, port));
      if (listener !== undefined) return { port, listener };
    } catch (error) {
      // A node's list of addresses may be wrong: the test below then reports both nodes.
      if (error instanceof RinglabError && /is not an address of this machine/.test(error.detail ?? ''))
        return { port, listener: noListener };
      ports.release(machine, port);
      throw error;
    }
    taken.add(port);
  }
}

/** Candidate addresses of rank 0, on which it listens during the test. */
export function candidatesOf(
  { nodes: [first, ...others] }: NetworkOptions,
  drawn: string | undefined,
  enter: ReadonlyMap<string, string>,
): string[] {
  if (drawn !== undefined) return [drawn];
  const machine = ({ node, facts }: NetworkNode): string => enter.get(node.id) ?? machineOf(facts);
  if (others.every((other) => machine(other) === machine(first))) return [loopback];
  return candidateAddresses(
    first.facts,
    first.session.target.host,
    others.map(({ facts }) => facts),
  );
}

/**
 * The first of rank 0's addresses that every other machine reaches. One node of each machine tests it, sequentially:
 * the listener serves one client at a time.
 */
export async function findAddress(
  { nodes, signal, clock }: NetworkOptions,
  rank0: Place,
  { port, secret }: { port: number; secret: string },
  candidates: readonly string[],
  enter: ReadonlyMap<string, string>,
  here: boolean,
): Promise<{ address: string; reached: Map<string, Measured> }> {
  const [first, ...others] = nodes;
  const machine = ({ node, facts }: NetworkNode): string => enter.get(node.id) ?? machineOf(facts);
  const machines = new Map(others.map((other) => [machine(other), other]));
  let failed: { from: NetworkNode; address: string } | undefined;
  for (const address of candidates) {
    const reached = new Map<string, Measured>();
    let missed: NetworkNode | undefined;
    for (const [name, other] of machines) {
      // Recorded at rank 0: the connecting node's record begins when an address is found.
      const record = rank0.at.status.step('network');
      const { shell } = place(other, record, signal, enter);
      rank0.at.status.step('network').log.add(phrase('stepLog.connectsFrom', { node: other.node.name }));
      const measured = here ? await connectHere(port) : await connect(shell, other, address, port, secret);
      if (measured === undefined) {
        missed = other;
        break;
      }
      reached.set(name, measured);
    }
    if (missed === undefined) return { address, reached };
    failed ??= { from: missed, address };
  }
  const from = failed?.from ?? others[0] ?? first;
  const address = failed === undefined ? phrase('reasons.noIpv4') : `${failed.address}:${port}`;
  const error =
    (await behindNat(from.node.name, trier(rank0), address)) ??
    new RinglabError(
      'rank_unreachable',
      { from: from.node.name, to: first.node.name, address },
      { where: from.node.name, ...(candidates.length === 0 ? {} : { detail: candidates.join(', ') }) },
    );
  if (from !== first) {
    await recorded({ id: 'network' }, { node: from.node, status: from.status, signal, clock }, () =>
      Promise.reject(error),
    ).catch(() => undefined);
  }
  throw error;
}

/** The address that this node's packets to rank 0 come from. */
export async function ownAddress(other: Place, master: string, { nodes }: NetworkOptions): Promise<string> {
  if (master === loopback) return loopback;
  const { stdout } = await other.shell.exec(`PATH="$PATH:/usr/sbin:/sbin" ip -o route get ${master}`, {
    brief: true,
  });
  const source = /\bsrc (\d+\.\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (source !== undefined) return source;
  const { facts, session } = other.at;
  const address = candidateAddresses(
    facts,
    session.target.host,
    nodes.map((node) => node.facts),
  )[0];
  if (address === undefined) {
    throw new RinglabError('rank_unreachable', {
      from: nodes[0].node.name,
      to: other.at.node.name,
      address: phrase('reasons.noIpv4'),
    });
  }
  return address;
}
