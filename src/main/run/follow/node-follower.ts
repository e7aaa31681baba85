/** Follows one node of a run: its files, its processes, and the connection, which may break and be restored. */
import { backOffMs } from '../../../shared/base/back-off.ts';
import { isCancelled, RinglabError, toWireError, type WireError } from '../../../shared/base/errors.ts';
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import type { Reach } from '../../local/index.ts';
import { isRefusal, shellQuote, type SshSession } from '../../ssh/index.ts';
import type { Store } from '../../store/index.ts';
import type { Clock } from '../../base/clock.ts';
import type { Launcher, Sight } from '../record/launcher.ts';
import { startLineStream, type LineStream } from './line-stream.ts';
import { afterStart } from '../launch/order-files.ts';
import { lastWordsOf } from './log-mirror.ts';
import { createNodeReader, type FollowedProcess, type ReaderListener } from './node-reader.ts';
import { createNodeTrust } from './node-trust.ts';
import type { RunSettings } from '../record/settings.ts';
import { timeAwake, type TimeAwake } from '../record/time-awake.ts';

export interface FollowerListener extends ReaderListener {
  reached(nodeId: string): void;
  /** Called again with each failed attempt. */
  unreachable(nodeId: string, error: WireError): void;
  /** Whether its ranks train, as others show: then it is not given up. */
  trains(nodeId: string): boolean;
  /** Unreachable for longer than `lostAfter`: the follower has given up. */
  lost(nodeId: string): void;
  /** The node's data is implausible, or the cluster took it away with its disk: the follower has given up. */
  gone(nodeId: string, how: 'nonsense' | 'revoked', error: WireError): void;
  /** Called only after every line that the process wrote has been reported. */
  seen(process: FollowedProcess, sight: Sight, lastWords: readonly string[]): void;
}

export interface FollowerOptions {
  readonly store: Store;
  readonly reach: Reach;
  readonly launcher: Launcher;
  readonly clock: Clock;
  readonly settings: RunSettings;
  readonly lab: LabDocument;
  readonly runId: string;
  /** Unix seconds. */
  readonly begunAt: number;
  readonly node: LabNode;
  readonly processes: readonly FollowedProcess[];
  readonly listener: FollowerListener;
}

/** A look at so many processes costs a node little each second; at more, looks are as much rarer. */
const processesALook = 64;

export interface NodeFollower {
  readonly nodeId: string;
  /** Resolves when nothing is running any more. */
  stop(): Promise<void>;
}

export function followNode(options: FollowerOptions): NodeFollower {
  const { clock, settings, listener, reach, lab } = options;
  const nodeId = options.node.id;
  const ending = new AbortController();
  const { signal } = ending;
  const trust = createNodeTrust(options.begunAt, clock);
  const reader = createNodeReader({ ...options, nodeName: options.node.name, signal, trust });
  /** Processes whose end has been reported. */
  const ended = new Set<FollowedProcess>();
  let stream: LineStream | undefined;
  let down: TimeAwake | undefined;
  let failures = 0;

  const times = Math.max(1, Math.ceil(options.processes.length / processesALook));
  const lookEvery = settings.lookEvery * times;

  const alive = (): FollowedProcess[] => options.processes.filter((process) => !ended.has(process));

  const readToEnd = async (session: SshSession, processes: FollowedProcess[]): Promise<void> => {
    while ((await reader.read(session, processes, true)).more) signal.throwIfAborted();
  };
  const lastWords = async (session: SshSession, { order }: FollowedProcess): Promise<string[]> => {
    const log = shellQuote(`${order.directory}/log.txt`);
    const timeoutMs = settings.readTimeout;
    const result = await session.exec(`tail -c 16384 ${log} 2>/dev/null`, { signal, timeoutMs, brief: true });
    // Not what the start before said.
    return lastWordsOf(result.stdout.slice(afterStart(result.stdout)));
  };
  const look = async (session: SshSession): Promise<void> => {
    const processes = alive();
    const sights = await options.launcher.look(
      processes.map(({ order }) => order),
      signal,
    );
    // Read after the look: a process that has ended has then written everything.
    await readToEnd(session, processes);
    const anyRankLives = processes.some(({ rank }, index) => rank !== undefined && isWell(sights[index]));
    for (const [index, process] of processes.entries()) {
      const sight = sights[index];
      if (sight === undefined) continue;
      const failed = !isWell(sight) && !(sight.state === 'exited' && sight.exit.code === 0);
      const words = failed && process.rank !== undefined ? await lastWords(session, process) : [];
      // A scheduler may start a job again, and its monitors with it, as long as a rank has not ended.
      const mayReturn = process.rank === undefined && anyRankLives;
      if ((sight.state === 'exited' && !mayReturn) || sight.state === 'rebooted') ended.add(process);
      listener.seen(process, sight, words);
    }
  };
  /** Returns early where a process wrote its exit; of many, whose exits come one after another, after a second. */
  const untilNextLook = async (session: SshSession, lines: LineStream, lookedAt: number): Promise<void> => {
    const at = lookedAt + lookEvery;
    for (;;) {
      const rest = at - clock.ticks();
      if (rest <= 0) return;
      const isOver =
        (await lines.next(lines.works ? rest : Math.min(rest, lookEvery / 2))) ||
        (!lines.works && (await reader.read(session, alive(), false)).exited);
      if (!isOver) continue;
      const early = lookedAt + settings.lookEvery - clock.ticks();
      if (times > 1 && early > 0) await clock.sleep(early, signal);
      return;
    }
  };
  const followSession = async (session: SshSession): Promise<void> => {
    // The backlog is read in large pieces; later lines are streamed.
    await readToEnd(session, alive());
    const followed = alive();
    stream = startLineStream({
      session,
      clock,
      files: reader.streamed(followed),
      watched: followed.flatMap(({ rank, order }) =>
        rank === undefined ? [] : [`${order.directory}/exit.json`],
      ),
      take: (path, offset, lines) => reader.take(path, offset, lines),
    });
    for (;;) {
      signal.throwIfAborted();
      await look(session);
      const lookedAt = clock.ticks();
      down = undefined;
      failures = 0;
      listener.reached(nodeId);
      await untilNextLook(session, stream, lookedAt);
    }
  };
  const goesDown = (): TimeAwake => timeAwake(clock, 2 * settings.reconnectRefused);
  const failed = (error: unknown): void => {
    down ??= goesDown();
    listener.unreachable(nodeId, toWireError(error));
  };
  /** A slow new connection is reported as unreachable before it has failed. */
  const connect = async (): Promise<SshSession> => {
    const done = new AbortController();
    const slow = clock.sleep(5000, AbortSignal.any([done.signal, signal])).then(
      () => failed(new RinglabError('connection_lost', { host: options.node.name })),
      () => undefined,
    );
    try {
      return await reach.session(lab, nodeId, signal);
    } finally {
      done.abort();
      await slow;
    }
  };
  const pause = async (milliseconds: number): Promise<void> => {
    const until = clock.ticks() + milliseconds;
    while (clock.ticks() < until) {
      await clock.sleep(Math.max(1, Math.min(1000, until - clock.ticks())), signal);
      // Another part of the app connected (a probe, a password entered): stop waiting.
      const state = reach.connections(lab.id).find((connection) => connection.nodeId === nodeId);
      if (milliseconds > settings.reconnect.maxMs && state?.state === 'connected') return;
    }
  };
  const follow = async (): Promise<void> => {
    for (;;) {
      let connected = false;
      try {
        const session = await connect();
        connected = true;
        await followSession(session);
      } catch (error) {
        if (signal.aborted) return;
        const code = error instanceof RinglabError ? error.code : undefined;
        if (code === 'node_nonsense' || code === 'pods_ended') {
          listener.gone(nodeId, code === 'pods_ended' ? 'revoked' : 'nonsense', toWireError(error));
          return;
        }
        // A broken session is retried at once; the node is unreachable only if that fails, too, or times out.
        const silent = error instanceof RinglabError && error.code === 'command_timeout';
        const first = connected && !silent && down === undefined;
        if (first) down = goesDown();
        else failed(error);
        if (down !== undefined && down.passed() > settings.lostAfter && !listener.trains(nodeId)) {
          listener.lost(nodeId);
          return;
        }
        // A refusal does not go away with a retry: the user has to act first.
        const refused = isRefusal(error);
        if (!first) failures += 1;
        const waitMs = first ? 10 : backOffMs(failures, settings.reconnect, clock.random());
        await pause(refused ? settings.reconnectRefused : waitMs);
      } finally {
        const stopping = stream?.stop();
        stream = undefined;
        await stopping;
      }
    }
  };
  const following = follow().catch((error: unknown) => {
    if (!isCancelled(error)) listener.problem(new RinglabError('internal', {}, { cause: error }));
  });
  return {
    nodeId,
    async stop() {
      ending.abort();
      await following;
    },
  };
}

const isWell = (sight: Sight | undefined): boolean => sight?.state === 'alive' || sight?.state === 'starting';
