/** Commands: a script in, its exit and the newest of its output out. */
import { RinglabError } from '../../shared/errors.ts';
import type { ExecOptions, ExecResult } from './contract.ts';
import { hangUp } from './hang-up.ts';
import { startProcess } from './remote-process.ts';
import type { Shell } from './shell.ts';

const defaultTimeoutMs = 60_000;
const defaultOutputBytes = 1024 * 1024;

export interface Tail {
  push(chunk: Buffer): void;
  text(): string;
}

/** Keeps the newest bytes. */
export function createTail(most = defaultOutputBytes): Tail {
  let chunks: Buffer[] = [];
  let size = 0;
  let dropped = false;
  return {
    push(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= 2 * most) return;
      const kept = Buffer.concat(chunks).subarray(size - most);
      chunks = [kept];
      size = kept.length;
      dropped = true;
    },
    text() {
      const all = Buffer.concat(chunks);
      const kept = all.length > most ? all.subarray(all.length - most) : all;
      const text = kept.toString('utf8');
      // The cut may have gone through a character.
      return dropped || all.length > most ? text.replace(/^\uFFFD{1,3}/, '') : text;
    },
  };
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
): Promise<string> {
  const tail = createTail(most);
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    tail.push(chunk);
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
    const [stdout, stderr, ended] = await Promise.all([
      collect(process.stdout, most, said('stdout')).catch(() => ''),
      collect(process.stderr, most, said('stderr')).catch(() => ''),
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
