/**
 * Nodes whose address among the ranks has changed since the run started: a new lease, or a VPN that reconnected. The ranks' commands
 * name the address, so that only a new start by the app gives the run another.
 */
import { RinglabError, toWireError, type WireError } from '../../../shared/base/errors.ts';
import { clusterOf } from '../../../shared/lab/reached.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { phrase } from '../../i18n/index.ts';
import type { RunServices } from '../record/services.ts';

type Asked = Pick<RunServices, 'reach'>;

/** Prints the node's IPv4 addresses; nothing where no program knows them. */
const addressesScript =
  'PATH="$PATH:/usr/sbin:/sbin"; ip -o -4 addr show 2>/dev/null || hostname -I 2>/dev/null; exit 0';
const maxShown = 5;
/** A node that does not answer within these milliseconds has another trouble. */
const timeoutMs = 5000;

/** The addresses that `addressesScript` printed: of `ip`'s lines those after `inet`, else all words. */
export function parseAddresses(text: string): string[] {
  const ofIp = [...text.matchAll(/\binet (\d{1,3}(?:\.\d{1,3}){3})\b/g)].flatMap(
    ([, address]) => address ?? [],
  );
  const found = ofIp.length > 0 ? ofIp : text.split(/\s+/);
  return [...new Set(found.filter((word) => /^\d{1,3}(\.\d{1,3}){3}$/.test(word)))];
}

/**
 * The IPv4 address at which the others reach a rank; undefined where there is none that could change: on the loopback, in a drawn
 * network's namespace, in a cluster, whose allocation is its own, and for all ranks of an own script but those of the first node.
 */
export function trainingAddress(run: RunRecord, { argv, nodeId, enter }: RankRecord): string | undefined {
  if (enter !== undefined || clusterOf(run.lab) !== undefined) return undefined;
  const at = argv.indexOf('--address');
  const ofScript = run.ranks[0]?.nodeId === nodeId ? run.master?.host : undefined;
  const address = run.lab.experiment.script === undefined && at >= 0 ? argv[at + 1] : ofScript;
  return address !== undefined && /^\d+(\.\d+){3}$/.test(address) && !address.startsWith('127.')
    ? address
    : undefined;
}

interface MovedAddress {
  readonly nodeName: string;
  readonly before: string;
  /** All that the node has now, without the loopback. */
  readonly now: readonly string[];
}

/** The first node of the run that answers and no longer has its address; nodes that do not answer are left out. Never rejects. */
export async function movedAddress(
  { reach }: Asked,
  run: RunRecord,
  signal: AbortSignal,
): Promise<MovedAddress | undefined> {
  const asked = new Map<string, RankRecord>();
  for (const rank of run.ranks) if (!asked.has(rank.nodeId)) asked.set(rank.nodeId, rank);
  const ask = async (rank: RankRecord): Promise<MovedAddress | undefined> => {
    const before = trainingAddress(run, rank);
    if (before === undefined || run.unreachable[rank.nodeId] !== undefined) return undefined;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const session = await reach.session(run.lab, rank.nodeId, limit);
      const { stdout } = await session.exec(addressesScript, { signal: limit, timeoutMs, brief: true });
      const all = parseAddresses(stdout);
      if (all.length === 0 || all.includes(before)) return undefined;
      const now = all.filter((address) => !address.startsWith('127.'));
      return { nodeName: rank.nodeName, before, now };
    } catch {
      return undefined;
    }
  };
  const found = await Promise.all([...asked.values()].map(ask));
  return found.find((one) => one !== undefined);
}

export const movedError = ({ nodeName, before, now }: MovedAddress, epoch: number): WireError =>
  toWireError(
    new RinglabError(
      'address_changed',
      {
        node: nodeName,
        before,
        now: now.length === 0 ? phrase('reasons.noIpv4') : now.slice(0, maxShown).join(', '),
        epoch,
      },
      { where: nodeName },
    ),
  );

/** What a rank reports whose connections to the others broke, or that could not use its own address. */
const brokenConnection: ReadonlySet<string> = new Set([
  'peer_lost',
  'address_not_local',
  'rendezvous_timeout',
]);

/**
 * The run's error, replaced by the changed address of a node where that explains it.
 * @param own the code of the trainer's own error line
 */
export async function withMovedAddress(
  services: Asked,
  run: RunRecord,
  { error, own }: { readonly error: WireError | undefined; readonly own: string | undefined },
  signal: AbortSignal,
): Promise<WireError | undefined> {
  if (error === undefined || (error.code !== 'peer_lost' && !brokenConnection.has(own ?? ''))) return error;
  const moved = await movedAddress(services, run, signal);
  return moved === undefined ? error : movedError(moved, run.epochsCompleted);
}
