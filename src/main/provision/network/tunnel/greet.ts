/** Handshakes between all ends of a tunnel. */
import type { Phrase } from '../../../../shared/base/phrase.ts';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { phrase } from '../../../i18n/index.ts';
import type { ExecResult } from '../../../ssh/index.ts';
import type { Member, RaiseTunnel } from './members.ts';
import { lastWords } from '../../node/node-shell.ts';
import { defaultPort, maxCandidates, parseHeard, type Heard, type TunnelPeer } from './plan.ts';
import { handshakeScript, renewScript } from './scripts.ts';

const defaultRound = 7;
/** Repetitions of a round after which one end alone has a session: the other end's packets were lost, or a run's traffic began it. */
const maxRepeats = 2;

/**
 * Rounds of handshakes until both ends of each pair have a session; the error names a missing pair and the blocked port.
 * @throws tunnel_unreachable, tunnel_unavailable
 */
export async function greetAll(
  members: readonly Member[],
  peer: (from: number, to: number, round: number) => TunnelPeer,
  ports: readonly number[],
  { roundSeconds = defaultRound, signal }: RaiseTunnel,
): Promise<void> {
  const waysOf = (from: number): number => {
    const seen = members.map(
      (_, to) =>
        new Set(Array.from({ length: maxCandidates }, (__, round) => peer(from, to, round).endpoint)).size,
    );
    return Math.max(...seen);
  };
  // In the first round those that have met before are tried where they were, so that the first candidates come again at the end.
  const max = 1 + Math.max(...members.map((_, from) => waysOf(from)));
  let missing = members.flatMap((_, from) =>
    members.flatMap((__, to): [number, number][] => (from === to ? [] : [[from, to]])),
  );
  let heard: Heard[] = [];
  let round = 0;
  let repeats = 0;
  while (round < max && missing.length > 0) {
    signal.throwIfAborted();
    const asked = members.map((_, from) =>
      missing.flatMap(([a, b]) => (a === from ? [peer(a, b, round)] : [])),
    );
    const ask = async ({ at, shell, rights, tunnel }: Member, script: string): Promise<ExecResult> => {
      const result = await rights.root(shell, at.facts, script, {
        label: phrase('nodeCommands.greet', { name: tunnel.name }),
        timeoutMs: (roundSeconds + 30) * 1000,
      });
      // Where peers were not added again, an earlier session would count as an answer.
      if (result.code !== 0) throw failed(at.node.name, result);
      return result;
    };
    await Promise.all(
      members.map((one, from) => ask(one, renewScript(one.tunnel.name, asked[from] ?? [], round === 0))),
    );
    heard = await Promise.all(
      members.map(async (one, from) =>
        parseHeard(
          (await ask(one, handshakeScript(one.tunnel.name, asked[from] ?? [], roundSeconds))).stdout,
        ),
      ),
    );
    const has = (from: number, to: number): boolean =>
      heard[from]?.sessions.has(members[to]?.tunnel.publicKey ?? '') ?? false;
    missing = missing.filter(([from, to]) => !has(from, to) || !has(to, from));
    if (repeats < maxRepeats && missing.some(([from, to]) => has(from, to))) repeats += 1;
    else {
      round += 1;
      repeats = 0;
    }
  }
  const [first] = missing;
  if (first === undefined) return;
  const [a, b] = first;
  if (peer(a, b, 0).endpoint === undefined && peer(b, a, 0).endpoint === undefined)
    throw noEndpoint(members, first);
  throw unreached(members, ports, heard, first);
}

/** No port is to blame: nothing was sent. */
function noEndpoint(members: readonly Member[], pair: readonly [number, number]): RinglabError {
  const [from = '', to = ''] = pair.map((index) => members[index]?.at.node.name ?? '');
  const reason = phrase('reasons.tunnel.noEndpoint', { from, to });
  return new RinglabError('tunnel_unavailable', { reason }, { where: to });
}

function unreached(
  members: readonly Member[],
  ports: readonly number[],
  heard: readonly Heard[],
  [a, b]: readonly [number, number],
): RinglabError {
  const name = (index: number): string => members[index]?.at.node.name ?? '';
  const heardFrom = (here: number, there: number): boolean =>
    heard[here]?.received.has(members[there]?.tunnel.publicKey ?? '') ?? false;
  // Packets from `a` arrived at `b`, so the answer is blocked. A node behind NAT can connect but not be connected to.
  const [from, to] =
    heardFrom(b, a) || (members[b]?.behindNat === true && members[a]?.behindNat !== true) ? [b, a] : [a, b];
  return new RinglabError(
    'tunnel_unreachable',
    { from: name(from), to: name(to), port: ports[to] ?? defaultPort },
    { where: name(to) },
  );
}

/** @param why by the exit code */
export function failed(where: string, result: ExecResult, why?: Phrase): RinglabError {
  const detail = lastWords(result);
  const words = /Operation not permitted/.test(detail) ? 'notAllowed' : 'failed';
  const reason = why ?? phrase(`reasons.tunnel.${words}`);
  return new RinglabError('tunnel_unavailable', { reason }, { where, detail });
}
