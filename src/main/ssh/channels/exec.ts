/** Runs a command: sends a script, returns its exit status and the newest part of its output. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { guardConnection } from '../connection/connection-guard.ts';
import type { ExecOptions, ExecResult } from '../contract.ts';
import { hangUp } from './hang-up.ts';
import { whySilent } from './login-shell.ts';
import { startProcess, type RemoteProcess } from './remote-process.ts';
import type { Shell } from './shell.ts';
import { phrase } from '../../i18n/index.ts';

const defaultTimeoutMs = 60_000;
const defaultOutputBytes = 1024 * 1024;
/** Maximum size of a command's output; only the newest part is kept. */
const maxOutputBytes = 64 * 1024 * 1024;
/** Smaller pieces are merged, since each buffer has an overhead. */
const smallBytes = 4096;
const blockBytes = 64 * 1024;
/** A login shell that has started nothing by then is waiting for something. */
const startWithinMs = 60_000;
/** A shorter time-out is too early to tell. */
const minWaitMs = 5000;

export interface Tail {
  /** False where the command has printed more than the maximum. */
  push(chunk: Buffer): boolean;
  text(): string;
}

/** Keeps the newest bytes. */
export function createTail(max = defaultOutputBytes): Tail {
  let chunks: Buffer[] = [];
  let size = 0;
  let total = 0;
  const limit = Math.max(maxOutputBytes, 4 * max);
  let dropped = false;
  let block = Buffer.alloc(0);
  /** State of the block: bytes already in `chunks`, and bytes filled. */
  let [sealed, filled] = [0, 0];
  const seal = (): void => {
    if (filled > sealed) chunks.push(block.subarray(sealed, filled));
    sealed = filled;
  };
  const add = (chunk: Buffer): void => {
    if (chunk.length >= smallBytes) {
      seal();
      chunks.push(chunk);
      return;
    }
    if (block.length - filled < chunk.length) {
      seal();
      block = Buffer.allocUnsafe(blockBytes);
      [sealed, filled] = [0, 0];
    }
    filled += chunk.copy(block, filled);
  };
  return {
    push(chunk) {
      add(chunk);
      size += chunk.length;
      total += chunk.length;
      if (size <= 2 * max) return true;
      seal();
      const kept = Buffer.from(Buffer.concat(chunks).subarray(size - max));
      chunks = [kept];
      size = kept.length;
      dropped = true;
      return total <= limit;
    },
    text() {
      seal();
      const all = Buffer.concat(chunks);
      const kept = all.length > max ? all.subarray(all.length - max) : all;
      const text = kept.toString('utf8');
      // The cut may be inside a character.
      return dropped || all.length > max ? text.replace(/^\uFFFD{1,3}/, '') : text;
    },
  };
}

/** Closes the connection of a node whose command prints endlessly. */
export function printsWithoutEnd({ client }: Pick<Shell, 'client'>, script: string): void {
  guardConnection(client).distrust(phrase('reasons.node.tooMuch', { command: inBrief(script) }));
}

/** A script in one line, for messages. */
const inBrief = (script: string): string => {
  const line = script.trim().split('\n')[0] ?? '';
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
};

async function collect(
  stream: AsyncIterable<Buffer>,
  max: number | undefined,
  onText: ((text: string) => void) | undefined,
  tooMuch: () => void,
): Promise<string> {
  const tail = createTail(max);
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    if (!tail.push(chunk)) {
      tooMuch();
      break;
    }
    const text = onText === undefined ? '' : decoder.decode(chunk, { stream: true });
    if (text !== '') onText?.(text);
  }
  const rest = onText === undefined ? '' : decoder.decode();
  if (rest !== '') onText?.(rest);
  return tail.text();
}

/** Connections whose login shell has started a command: a delay is then caused by the command or the machine. */
const proven = new WeakSet<Shell>();

export const hasStarted = (shell: Shell): void => void proven.add(shell);

/** Explains that the login shell has started neither this command nor any before; undefined for other causes. */
export function stillSilent(
  shell: Shell,
  process: RemoteProcess,
  waitedMs: number,
): Promise<RinglabError> | undefined {
  if (process.started() || proven.has(shell) || waitedMs < minWaitMs) return undefined;
  return whySilent(shell, { noise: process.noise(), code: null, signal: null, waitedMs, isEndless: false });
}

/**
 * Rejects with `command_timeout` or `cancelled` before `work` is done, and then calls `end`.
 * @param why called once a login shell should have started the work, and at the end: the cause of the delay, where
 * known
 */
export function limited<T>(
  work: Promise<T>,
  options: ExecOptions,
  script: string,
  end: () => void,
  why: (waitedMs: number) => Promise<RinglabError> | undefined,
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  return new Promise<T>((resolve, reject) => {
    let isStopped = false;
    const stop = (error: RinglabError | Promise<RinglabError>): void => {
      finish();
      isStopped = true;
      if (error instanceof RinglabError) reject(error);
      else void error.then(reject);
      end();
    };
    const onAbort = (): void => stop(new RinglabError('cancelled'));
    const onLate = (waitedMs: number): void => {
      const known = why(waitedMs);
      const seconds = Math.max(1, Math.round(timeoutMs / 1000));
      if (known !== undefined) stop(known);
      else if (waitedMs === timeoutMs)
        stop(new RinglabError('command_timeout', { seconds, command: inBrief(script) }));
    };
    const times = new Set([timeoutMs, Math.min(timeoutMs, startWithinMs)]);
    const timers = [...times].map((ms) => setTimeout(() => onLate(ms), ms));
    const finish = (): void => {
      timers.forEach(clearTimeout);
      options.signal?.removeEventListener('abort', onAbort);
    };
    options.signal?.addEventListener('abort', onAbort, { once: true });
    if (options.signal?.aborted === true) onAbort();
    // Its result is ignored once it was ended early.
    work
      .then(
        (value) => (isStopped ? undefined : resolve(value)),
        // Services only throw errors.
        (error: unknown) => (isStopped ? undefined : reject(error as Error)),
      )
      .finally(finish);
  });
}

/**
 * Rejects with `connection_lost`, `channel_refused`, `command_timeout`, `cancelled`, or the reason why the login
 * shell did not start the script (login-shell.ts). A non-zero exit is a result, not an error.
 */
export async function exec(shell: Shell, script: string, options: ExecOptions = {}): Promise<ExecResult> {
  const { gate, host } = shell;
  const yielding = new AbortController();
  const isTethered = options.yields === true;
  const process = await gate.open(() => startProcess(shell, script, { isTethered }), {
    signal: options.signal,
    ...(isTethered ? { yields: () => yielding.abort() } : {}),
  });
  const giveWay = (): void => process.letGo();
  yielding.signal.addEventListener('abort', giveWay, { once: true });
  if (yielding.signal.aborted) giveWay();

  const max = options.maxOutputBytes;
  const listenerFor = (stream: 'stdout' | 'stderr'): ((text: string) => void) | undefined => {
    const { onOutput } = options;
    return onOutput === undefined ? undefined : (text) => onOutput(text, stream);
  };
  const work = async (): Promise<ExecResult> => {
    if (!isTethered) process.stdin.end(options.stdin ?? '');
    const tooMuch = (): void => printsWithoutEnd(shell, script);
    const [stdout, stderr, ended] = await Promise.all([
      collect(process.stdout, max, listenerFor('stdout'), tooMuch).catch(() => ''),
      collect(process.stderr, max, listenerFor('stderr'), tooMuch).catch(() => ''),
      process.ended,
    ]);
    if (yielding.signal.aborted) throw new RinglabError('channel_refused', { host });
    if (process.isEndless() || (ended !== undefined && !process.started())) {
      const { code, signal } = ended ?? { code: null, signal: null };
      const isEndless = process.isEndless();
      throw await whySilent(shell, { noise: process.noise(), code, signal, isEndless });
    }
    if (ended === undefined) throw new RinglabError('connection_lost', { host });
    hasStarted(shell);
    return { ...ended, stdout, stderr };
  };
  return await limited(
    work(),
    options,
    script,
    () => hangUp(shell, process),
    (waitedMs) => stillSilent(shell, process, waitedMs),
  );
}

export function commandFailed(script: string, result: ExecResult): RinglabError {
  const ended = result.code ?? (result.signal === null ? '?' : `SIG${result.signal}`);
  return new RinglabError(
    'command_failed',
    { code: ended, command: inBrief(script) },
    { detail: lastWords(result) },
  );
}

/** The last lines of a command's output, stderr before stdout, for an error's detail. */
export function lastWords(result: Pick<ExecResult, 'stdout' | 'stderr'>, lines = 30): string {
  const output = [result.stderr, result.stdout].map((text) => text.trim()).find((text) => text !== '');
  return output?.split('\n').slice(-lines).join('\n').slice(-8000) ?? '';
}
