/**
 * For tests: a fake SSH session with the same interface, whose scripts run in `sh` on this machine with a home folder
 * and a PATH of the test. Simulates what real nodes do not do on demand: no compiler, a full disk, a torn upload.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { ExecOptions, ExecResult, SshSession } from '../index.ts';

export interface LocalShellOptions {
  readonly home: string;
  readonly name?: string;
  /** The machine's identity, where a test depends on it; default: the same for all. */
  readonly machine?: { readonly host: string; readonly user?: string; readonly hostKey?: string };
  /** PATH of the scripts; this process's by default. */
  readonly path?: string;
  /** A program and arguments that start the command after them: a namespace of the test. */
  readonly through?: readonly string[];
  /** Called with each script before it runs; may throw, as a lost connection does. */
  readonly before?: (script: string) => void;
  /** Changes an upload's bytes, as a short write does. */
  readonly spoil?: (remotePath: string, bytes: Buffer) => Buffer;
}

export interface LocalShell extends SshSession {
  readonly scripts: string[];
  /** Bytes sent to each script's standard input, where there were any. */
  readonly stdins: number[];
  readonly uploads: { path: string; sent: number }[];
}

export function createLocalShell(options: LocalShellOptions): LocalShell {
  const scripts: string[] = [];
  const stdins: number[] = [];
  const uploads: { path: string; sent: number }[] = [];
  const here = (path: string): string => (path.startsWith('~/') ? join(options.home, path.slice(2)) : path);
  const name = options.name ?? 'node';

  const exec = (script: string, how: ExecOptions = {}): Promise<ExecResult> => {
    how.signal?.throwIfAborted();
    scripts.push(script);
    options.before?.(script);
    if (how.stdin !== undefined) stdins.push(how.stdin.length);
    return new Promise((resolve, reject) => {
      const [outer, ...through] = options.through ?? [];
      // An argument has at most 128 KiB.
      const file =
        script.length < 100_000 ? undefined : join(mkdtempSync(join(tmpdir(), 'ringlab-sh-')), 'script');
      if (file !== undefined) writeFileSync(file, script);
      const own = file === undefined ? ['-c', script] : [file];
      const [program, args] =
        outer === undefined ? ['/bin/sh', own] : [outer, [...through, '/bin/sh', ...own]];
      const child = spawn(program, args, {
        cwd: options.home,
        env: { HOME: options.home, PATH: options.path ?? process.env.PATH, SHELL: '/bin/sh' },
        detached: true,
      });
      const kill = (): void => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        } catch {
          // It has just ended by itself.
        }
      };
      const out = { stdout: '', stderr: '' };
      for (const stream of ['stdout', 'stderr'] as const) {
        child[stream].setEncoding('utf8').on('data', (text: string) => {
          out[stream] = (out[stream] + text).slice(-(how.maxOutputBytes ?? 1_048_576));
          how.onOutput?.(text, stream);
        });
      }
      const timer = setTimeout(kill, how.timeoutMs ?? 60_000);
      how.signal?.addEventListener('abort', kill, { once: true });
      child.stdin.on('error', () => undefined);
      child.stdin.end(how.stdin);
      child.on('error', reject);
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        how.signal?.removeEventListener('abort', kill);
        if (file !== undefined) rmSync(dirname(file), { recursive: true });
        if (how.signal?.aborted === true) reject(new RinglabError('cancelled'));
        else resolve({ code, signal, ...out });
      });
    });
  };

  return {
    target: {
      labId: 'lab',
      nodeId: name,
      nodeName: name,
      host: options.machine?.host ?? '127.0.0.1',
      port: 22,
      user: options.machine?.user ?? 'somebody',
      authentication: { method: 'agent' },
    },
    hostKey: options.machine?.hostKey ?? 'SHA256:stand-in',
    scripts,
    stdins,
    uploads,
    home: () => Promise.resolve(options.home),
    terminal: () => Promise.reject(new Error('not used here')),
    closed: new Promise(() => undefined),
    async listen(onConnection) {
      const server = createServer(onConnection).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      return { port: address.port, close: () => Promise.resolve(void server.close()) };
    },
    exec,
    async run(script, how) {
      const result = await exec(script, how);
      if (result.code !== 0) {
        throw new RinglabError('command_failed', { command: script, code: result.code ?? -1 });
      }
      return result.stdout;
    },
    upload(source, remotePath, how = {}) {
      how.signal?.throwIfAborted();
      const path = here(remotePath);
      const bytes = 'path' in source ? readFileSync(source.path) : Buffer.from(source.bytes);
      const hash = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
      const same = existsSync(path) && hash(readFileSync(path)) === hash(bytes);
      if (!same) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(`${path}.part`, options.spoil?.(remotePath, bytes) ?? bytes);
        renameSync(`${path}.part`, path);
      }
      if (how.mode !== undefined) chmodSync(path, how.mode);
      const sent = same ? 0 : bytes.length;
      how.onProgress?.({ done: bytes.length, total: bytes.length });
      uploads.push({ path: remotePath, sent });
      return Promise.resolve({ sent });
    },
    download(remotePath, localPath) {
      const path = here(remotePath);
      if (!existsSync(path)) {
        return Promise.reject(
          new RinglabError('transfer_failed', { path: remotePath, reason: 'no such file' }),
        );
      }
      mkdirSync(dirname(localPath), { recursive: true });
      copyFileSync(path, localPath);
      return Promise.resolve({ bytes: readFileSync(localPath).length });
    },
  };
}

/** A folder that contains only these scripts, for a PATH. */
export function programsOnly(folder: string, programs: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(programs)) {
    writeFileSync(join(folder, name), content, { mode: 0o755 });
  }
  return folder;
}
