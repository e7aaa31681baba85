/** For tests: an SshSession that runs a real `sh` on this machine under a given HOME, and whose line can be cut. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { ConnectionState } from '../../../shared/node/provision.ts';
import type { Reach } from '../../local/index.ts';
import type { ExecOptions, ExecResult, SshSession, SshTarget } from '../../ssh/index.ts';

export interface ShellNode {
  readonly home: string;
  /** Set before the system's PATH, for commands that a test plants. */
  readonly path?: string;
}

export interface ShellReach extends Reach {
  /** Cuts a node's line: running commands fail, new sessions are refused. */
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
  const exec = (
    nodeId: string,
    node: ShellNode,
    script: string,
    options: ExecOptions,
  ): Promise<ExecResult> => {
    const { promise, resolve, reject } = Promise.withResolvers<ExecResult>();
    if (down.has(nodeId)) return Promise.reject(lost(nodeId));
    if (options.signal?.aborted === true) return Promise.reject(new RinglabError('cancelled'));
    if (reach.refuseWatching && options.yields === true)
      return Promise.reject(new RinglabError('channel_refused', { host: nodeId }));
    const child: ChildProcess = spawn('sh', ['-c', script], {
      env: { HOME: node.home, PATH: `${node.path ?? ''}:/usr/bin:/bin` },
      detached: true,
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const end = (error: RinglabError): void => {
      reject(error);
      // Its whole group, as a server hangs up on a channel's processes; what was detached by setsid is not in it.
      if (child.pid !== undefined && child.exitCode === null) {
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // It ended at this very moment.
        }
      }
    };
    const cutOff = (): void => end(lost(nodeId));
    const cancelled = (): void => end(new RinglabError('cancelled'));
    const timer = setTimeout(
      () => end(new RinglabError('command_timeout', { seconds: 0, command: script.slice(0, 60) })),
      options.timeoutMs ?? 60_000,
    );
    breaks(nodeId).add(cutOff);
    options.signal?.addEventListener('abort', cancelled);
    child.stdout?.on('data', (data: Buffer) => {
      stdout.push(data);
      options.onOutput?.(data.toString(), 'stdout');
    });
    child.stderr?.on('data', (data: Buffer) => stderr.push(data));
    child.on('error', reject);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.stdin ?? '');
    child.on('close', (code, signal) => {
      resolve({
        code,
        signal,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      });
    });
    return promise.finally(() => {
      clearTimeout(timer);
      breaks(nodeId).delete(cutOff);
      options.signal?.removeEventListener('abort', cancelled);
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
      const run = async (script: string, options: ExecOptions = {}): Promise<string> => {
        const result = await exec(nodeId, node, script, options);
        if (result.code !== 0) {
          throw new RinglabError(
            'command_failed',
            { code: result.code ?? -1, command: script.slice(0, 60) },
            { detail: result.stderr },
          );
        }
        return result.stdout;
      };
      const session: SshSession = {
        target: target(lab, nodeId),
        hostKey: 'SHA256:stand-in',
        home: () => Promise.resolve(node.home),
        exec: (script, options = {}) => exec(nodeId, node, script, options),
        run,
        upload: () => Promise.reject(new RinglabError('internal', {}, { detail: 'not used here' })),
        async download(remotePath, localPath) {
          const bytes = Buffer.from(await run(`base64 <'${remotePath}'`), 'base64');
          await mkdir(dirname(localPath), { recursive: true });
          await writeFile(localPath, bytes);
          return { bytes: bytes.length };
        },
        terminal: () => Promise.reject(new RinglabError('internal', {}, { detail: 'not used here' })),
        listen: () => Promise.reject(new RinglabError('internal', {}, { detail: 'not used here' })),
        closed: new Promise(() => undefined),
      };
      return session;
    },
    target: (lab, nodeId) => Promise.resolve(target(lab, nodeId)),
    connections: (): ConnectionState[] => [],
    close: () => Promise.resolve(),
  };
  return reach;
}
