/** Runs the app as a process with its own data folder, so that tests can start, kill and restart it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressFor, findHost } from '../src/main/hosts/web/index.ts';

export const project = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(project, 'dist', 'main', 'cli.js');

export interface RunningApp {
  /** A new address at each call, since each opens one page only. */
  readonly url: string;
  readonly port: number;
  /** SIGTERM, as closing the window does. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash does. */
  kill(): Promise<void>;
}

/**
 * @param port 0 for any; the previous one, so that an open page finds the restarted app
 * @param network whether links of local nodes are emulated if this machine can: they are then as slow as drawn
 */
export async function startApp(
  dataFolder: string,
  port = 0,
  network: 'on' | 'off' = 'off',
): Promise<RunningApp> {
  const child = spawn(
    process.execPath,
    [cli, 'serve', '--no-open', '--port', String(port), '--data', dataFolder],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...(network === 'off' ? { RINGLAB_NETWORK: 'off' } : {}) },
    },
  );
  const lastOutput = lastOutputOf(child);
  const printed = new URL(await firstUrl(child));
  const host = await findHost(dataFolder);
  let isStopping = false;
  child.once('exit', (code, signal) => {
    if (!isStopping)
      process.stderr.write(`the app ended by itself (${code ?? signal ?? ''}):\n${lastOutput()}\n`);
  });
  const end = (signal: NodeJS.Signals) => async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    isStopping = true;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    await ended;
  };
  return {
    get url() {
      return addressFor(host);
    },
    port: Number(printed.port),
    stop: end('SIGTERM'),
    kill: end('SIGKILL'),
  };
}

/** The end of the app's output, shown if it exits during a test. */
function lastOutputOf(child: ChildProcess): () => string {
  let output = '';
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString('utf8')).slice(-4000));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => output;
}

function firstUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const onData = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
      const url = /^Ringlab: (\S+)$/m.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.once('exit', (code) => reject(new Error(`the app ended with code ${code ?? 'none'}:\n${output}`)));
  });
}

export const newDataFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'ringlab-e2e-'));

/** Removes a data folder, after ending the trainers that still use it. */
export async function removeDataFolder(folder: string): Promise<void> {
  await new Promise<void>((resolve) => {
    spawn('pkill', ['-KILL', '-f', folder], { stdio: 'ignore' })
      .once('exit', () => resolve())
      .once('error', () => resolve());
  });
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
