/** Starts ranks over SSH, detached: they survive the connection and the app. The node needs only `sh`. */
import { RinglabError } from '../../../../shared/base/errors.ts';
import { isConnectionLost, lastWords, type SshSession } from '../../../ssh/index.ts';
import { earlierScript, signalScript, startScript } from './start-script.ts';
import type { StartedProcess } from '../../../../shared/run/run.ts';
import type { Clock } from '../../../base/clock.ts';
import type { LaunchOrder, Launcher, NodeOrders, StartListener } from '../../record/launcher.ts';
import { busyError, gpuTaken, sharedWith } from '../../record/neighbours.ts';
import { lookScript } from '../folder-look.ts';
import { parseProcess, parseSights } from './sight.ts';
import { sshProcess } from './ssh-process.ts';
import { phrase } from '../../../i18n/index.ts';

export interface SshLauncherOptions {
  session(nodeId: string, signal?: AbortSignal): Promise<SshSession>;
  readonly clock: Clock;
  readonly bootIdFile: string;
  /** Time-out in milliseconds for a look or a signal. */
  readonly timeout: number;
  /** Called where other runs train on a node without GPUs. */
  onShared?(nodeName: string, runIds: readonly string[]): void;
}

export function createSshLauncher(options: SshLauncherOptions): Launcher {
  const { bootIdFile, timeout } = options;
  const start = async (order: LaunchOrder): Promise<StartedProcess> => {
    const session = await options.session(order.nodeId);
    const script = startScript(order, bootIdFile);
    const result = await session.exec(script, { timeoutMs: 60_000, brief: true, leavesProcesses: true });
    const { nodeName } = session.target;
    const busy = result.code === gpuTaken ? busyError(result.stderr, nodeName) : undefined;
    if (busy !== undefined) throw busy;
    if (result.code !== 0) {
      throw new RinglabError(
        'command_failed',
        {
          code: result.code ?? -1,
          command: phrase('nodeCommands.startIn', { what: order.label, folder: order.directory }),
        },
        { where: nodeName, detail: lastWords(result) },
      );
    }
    const shared = order.place === undefined ? [] : sharedWith(result.stderr);
    if (shared.length > 0) options.onShared?.(nodeName, shared);
    return parseProcess(result.stdout, order.label);
  };
  const startRank = async (order: LaunchOrder, listener: StartListener): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await listener.started(order, await start(order));
        return;
      } catch (error) {
        // The connection broke, so it is unknown whether the rank started: starting again is idempotent.
        if (!isConnectionLost(error) || attempt === 3) throw error;
        await options.clock.sleep(1000);
      }
    }
  };
  const startNode = async ({ ranks, beside }: NodeOrders, listener: StartListener): Promise<void> => {
    for (const order of ranks) await startRank(order, listener);
    for (const order of beside) await start(order).catch((error: unknown) => listener.without(order, error));
  };
  return {
    async startAll(nodes, listener) {
      const outcomes = await Promise.allSettled(nodes.map((node) => startNode(node, listener)));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
    async signal(order, process, name, signal) {
      const session = await options.session(order.nodeId, signal);
      const script = signalScript(sshProcess(process), name, order.directory, bootIdFile);
      const result = await session.exec(script, { signal, timeoutMs: timeout, brief: true });
      return result.code === 0;
    },
    async earlier(orders, asks, signal) {
      const [first] = orders;
      if (first === undefined) return false;
      const session = await options.session(first.nodeId, signal);
      const directories = orders.map(({ directory }) => directory);
      const script = earlierScript(directories, first.attempt, asks, bootIdFile);
      const { stdout } = await session.exec(script, { signal, timeoutMs: timeout, brief: true });
      return stdout.includes('runs');
    },
    async look(orders, signal) {
      const [first] = orders;
      if (first === undefined) return [];
      const session = await options.session(first.nodeId, signal);
      const script = lookScript(
        orders.map((order) => order.directory),
        bootIdFile,
      );
      const result = await session.exec(script, { signal, timeoutMs: timeout, brief: true });
      return parseSights(
        result.stdout,
        orders.map((order) => order.attempt),
      );
    },
  };
}
