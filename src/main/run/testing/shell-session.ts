/** For tests: nodes that are folders of this machine (ssh/testing/local-shell.ts), whose connections can be cut. */
import { mkdir } from 'node:fs/promises';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { ConnectionState } from '../../../shared/node/provision.ts';
import type { Reach } from '../../local/index.ts';
import type { ExecOptions, ExecResult, SshSession, SshTarget } from '../../ssh/index.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';

export interface ShellNode {
  readonly home: string;
  /** Goes before the system's PATH, for commands that a test replaces. */
  readonly path?: string;
  /** A program and arguments that start the command after them. */
  readonly through?: readonly string[];
}

export interface ShellReach extends Reach {
  /** Cuts a node's connection: running commands fail, new sessions are refused. */
  cut(nodeId: string): void;
  mend(nodeId: string): void;
  /** As a server with MaxSessions 1: no channel is left for commands that only watch. */
  refuseWatching: boolean;
}

export function createShellReach(nodes: ReadonlyMap<string, ShellNode>): ShellReach {
  const down = new Set<string>();
  const running = new Map<string, Set<() => void>>();
  const target = (lab: LabDocument, nodeId: string): SshTarget => ({
    labId: lab.id,
    nodeId,
    nodeName: lab.nodes.find((node) => node.id === nodeId)?.name ?? nodeId,
    host: '127.0.0.1',
    port: 22,
    user: 'test',
    authentication: { method: 'agent' },
  });
  const lost = (nodeId: string): RinglabError =>
    new RinglabError('connection_lost', { host: nodeId, reason: 'cut by the test' });
  const breaks = (nodeId: string): Set<() => void> => {
    const found = running.get(nodeId) ?? new Set();
    running.set(nodeId, found);
    return found;
  };
  /** As over SSH: a lost connection, a time-out and a cancellation are errors, at once. */
  const exec = (
    nodeId: string,
    shell: SshSession,
    script: string,
    { signal, timeoutMs = 60_000, ...options }: ExecOptions,
  ): Promise<ExecResult> => {
    if (down.has(nodeId)) return Promise.reject(lost(nodeId));
    if (signal?.aborted === true) return Promise.reject(new RinglabError('cancelled'));
    if (reach.refuseWatching && options.yields === true)
      return Promise.reject(new RinglabError('channel_refused', { host: nodeId }));
    const ended = new AbortController();
    const { promise: broken, reject } = Promise.withResolvers<never>();
    const end = (error: RinglabError): void => {
      reject(error);
      // Its whole process group, as a server does when a channel closes; processes detached with setsid are not in
      // it.
      ended.abort();
    };
    const cutOff = (): void => end(lost(nodeId));
    const cancelled = (): void => end(new RinglabError('cancelled'));
    const timer = setTimeout(
      () => end(new RinglabError('command_timeout', { seconds: 0, command: script.slice(0, 60) })),
      timeoutMs,
    );
    breaks(nodeId).add(cutOff);
    signal?.addEventListener('abort', cancelled);
    // The session's own time-out is longer than this one.
    const work = shell.exec(script, { ...options, signal: ended.signal, timeoutMs: 2 * timeoutMs });
    return Promise.race([work, broken]).finally(() => {
      clearTimeout(timer);
      breaks(nodeId).delete(cutOff);
      signal?.removeEventListener('abort', cancelled);
    });
  };
  const reach: ShellReach = {
    refuseWatching: false,
    cut(nodeId) {
      down.add(nodeId);
      for (const cutOff of [...breaks(nodeId)]) cutOff();
    },
    mend: (nodeId) => void down.delete(nodeId),
    async session(lab, nodeId) {
      const node = nodes.get(nodeId);
      if (node === undefined || down.has(nodeId)) throw lost(nodeId);
      await mkdir(node.home, { recursive: true });
      const { home, through = [] } = node;
      const shell = createLocalShell({ home, through, path: `${node.path ?? ''}:/usr/bin:/bin` });
      const session: SshSession = {
        ...shell,
        target: target(lab, nodeId),
        exec: (script, options = {}) => exec(nodeId, shell, script, options),
        async run(script, options = {}) {
          const { code, stdout, stderr } = await exec(nodeId, shell, script, options);
          if (code === 0) return stdout;
          const command = script.slice(0, 60);
          throw new RinglabError('command_failed', { code: code ?? -1, command }, { detail: stderr });
        },
      };
      return session;
    },
    target: (lab, nodeId) => Promise.resolve(target(lab, nodeId)),
    cluster: () => {
      throw new RangeError('no cluster');
    },
    connections: (): ConnectionState[] => [],
    close: () => Promise.resolve(),
  };
  return reach;
}
