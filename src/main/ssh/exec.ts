/** Commands: a script in, its exit and the newest of its output out. */
import { RinglabError } from '../../shared/errors.ts';
import { guardConnection } from './connection-guard.ts';
import type { ExecOptions, ExecResult } from './contract.ts';
import { hangUp } from './hang-up.ts';
import { startProcess } from './remote-process.ts';
import type { Shell } from './shell.ts';

const defaultTimeoutMs = 60_000;
const defaultOutputBytes = 1024 * 1024;
/** Of one command, all of it; the newest are kept. No command of ours prints as much. */
const mostOutputBytes = 64 * 1024 * 1024;
/** Smaller pieces are copied together: each buffer costs more than its bytes. */
const smallBytes = 4096;
const blockBytes = 64 * 1024;

export interface Tail {
  /** False where the command has printed more than any of ours does. */
  push(chunk: Buffer): boolean;
  text(): string;
}

/** Keeps the newest bytes. */
export function createTail(most = defaultOutputBytes): Tail {
  let chunks: Buffer[] = [];
  let size = 0;
  let total = 0;
  const limit = Math.max(mostOutputBytes, 4 * most);
  let dropped = false;
  let block = Buffer.alloc(0);
  /** Of the block: what is in `chunks` already, and what is filled. */
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
      if (size <= 2 * most) return true;
      seal();
      const kept = Buffer.from(Buffer.concat(chunks).subarray(size - most));
      chunks = [kept];
      size = kept.length;
      dropped = true;
      return total <= limit;
    },
    text() {
      seal();
      const all = Buffer.concat(chunks);
      const kept = all.length > most ? all.subarray(all.length - most) : all;
      const text = kept.toString('utf8');
      // The cut may have gone through a character.
      return dropped || all.length > most ? text.replace(/^\uFFFD{1,3}/, '') : text;
    },
  };
}

/** Ends the connection of a node whose command prints without an end. */
export function printsWithoutEnd({ client }: Pick<Shell, 'client'>, script: string): void {
  guardConnection(client).distrust(`a command printed more than it ever does: ${inBrief(script)}`);
}

/** A script in one line, for messages. */
export const inBrief = (script: string): string => {
  const line = script.trim().split('\n')[0] ?? '';
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
};

async function collect(
  stream: AsyncIterable<Buffer>,
  most: number | undefined,
  onText: ((text: string) => void) | undefined,
  tooMuch: () => void,
): Promise<string> {
  const tail = createTail(most);
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

/** Rejects with `command_timeout` or `cancelled` before `work` is done, and calls `end` then. */
export function limited<T>(
  work: Promise<T>,
  options: ExecOptions,
  script: string,
  end: () => void,
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  return new Promise<T>((resolve, reject) => {
    const stop = (error: RinglabError): void => {
      finish();
      reject(error);
      end();
    };
    const onAbort = (): void => stop(new RinglabError('cancelled'));
    const timer = setTimeout(
      () =>
        stop(
          new RinglabError('command_timeout', {
            seconds: Math.max(1, Math.round(timeoutMs / 1000)),
            command: inBrief(script),
          }),
        ),
      timeoutMs,
    );
    const finish = (): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
    };
    options.signal?.addEventListener('abort', onAbort, { once: true });
    if (options.signal?.aborted === true) onAbort();
    work.then(resolve, reject).finally(finish);
  });
}

/**
 * Rejects with `connection_lost`, `channel_refused`, `command_timeout`, `cancelled`, or `command_failed` where the
 * login shell never let the script start. A non-zero exit is a result, not an error.
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

  const most = options.maxOutputBytes;
  const said = (stream: 'stdout' | 'stderr'): ((text: string) => void) | undefined => {
    const { onOutput } = options;
    return onOutput === undefined ? undefined : (text) => onOutput(text, stream);
  };
  const work = async (): Promise<ExecResult> => {
    if (!isTethered) process.stdin.end(options.stdin ?? '');
    const tooMuch = (): void => printsWithoutEnd(shell, script);
    const [stdout, stderr, ended] = await Promise.all([
      collect(process.stdout, most, said('stdout'), tooMuch).catch(() => ''),
      collect(process.stderr, most, said('stderr'), tooMuch).catch(() => ''),
      process.ended,
    ]);
    if (yielding.signal.aborted) throw new RinglabError('channel_refused', { host });
    if (ended === undefined) throw new RinglabError('connection_lost', { host });
    if (!process.started()) {
      const detail = process.noise();
      throw new RinglabError(
        'command_failed',
        { code: ended.code ?? -1, command: 'exec /bin/sh' },
        { detail },
      );
    }
    return { ...ended, stdout, stderr };
  };
  return await limited(work(), options, script, () => hangUp(shell, process));
}

export function commandFailed(script: string, result: ExecResult): RinglabError {
  const words = (result.stderr.trim() === '' ? result.stdout : result.stderr).trim().slice(-2000);
  const ended = result.code ?? (result.signal === null ? '?' : `SIG${result.signal}`);
  return new RinglabError('command_failed', { code: ended, command: inBrief(script) }, { detail: words });
}
