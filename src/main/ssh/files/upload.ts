/**
 * Uploads files: to a temporary name beside the target that contains the content's hash (so that a later attempt
 * resumes exactly this content), verified on the node, renamed. Existing content is not sent again.
 */
import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import type { SFTPWrapper } from 'ssh2';
import { createKeyedQueue } from '../../base/serial-queue.ts';
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import { reasonOf, WordedError } from '../../base/reason.ts';
import { exitWords, phrase } from '../../i18n/index.ts';
import { throwIfAborted } from '../../base/abort.ts';
import type { SshSession } from '../contract.ts';
import { exec } from '../channels/exec.ts';
import type { Shell } from '../channels/shell.ts';
import { freeBytes, lookAtSite, settleUpload, type UploadSite } from './remote-file.ts';
import { hangUp } from '../channels/hang-up.ts';
import { startProcess } from '../channels/remote-process.ts';
import { answer, blockBytes, inFlight, inParallel, openFile, type SftpDoor } from '../channels/sftp.ts';
import { shellQuote } from '../channels/shell-quote.ts';

export interface FileServices {
  readonly shell: Shell;
  readonly sftp: SftpDoor;
  resolvePath(path: string): Promise<string>;
  /** Host key and user: nodes of two labs may share one account. */
  readonly account: string;
}

/** Smaller files are sent with one command: an SFTP channel would need more round trips. */
const smallBytes = 64 * 1024;

/**
 * The temporary name of an upload: found again by the next attempt, and unique to this content, target and account:
 * several machines may have one home on a shared file system. Short, because a file name is limited to 255 bytes.
 */
export const partName = (name: string, sha256: string, account: string): string =>
  `.ringlab-${createHash('sha256').update(`${sha256} ${account} ${name}`).digest('hex').slice(0, 32)}.part`;

type UploadOptions = NonNullable<Parameters<SshSession['upload']>[2]>;

/** The bytes to send, from memory or a file. */
interface Source {
  readonly size: number;
  /** Fills the buffer from the offset; returns fewer bytes only at the end. */
  read(offset: number, buffer: Buffer): Promise<number>;
  close(): Promise<void>;
}

async function openSource(source: { path: string } | { bytes: Uint8Array }): Promise<Source> {
  if ('bytes' in source) {
    const bytes = Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.bytes.byteLength);
    return {
      size: bytes.length,
      read: (offset, buffer) => Promise.resolve(bytes.copy(buffer, 0, offset, offset + buffer.length)),
      close: () => Promise.resolve(),
    };
  }
  let file: FileHandle | undefined;
  try {
    file = await open(source.path, 'r');
    const { size } = await file.stat();
    const handle = file;
    return {
      size,
      read: async (offset, buffer) => (await handle.read(buffer, 0, buffer.length, offset)).bytesRead,
      close: () => handle.close(),
    };
  } catch (error) {
    await file?.close();
    throw new RinglabError(
      'file_unreadable',
      { path: source.path, reason: reasonOf(error) },
      { cause: error },
    );
  }
}

async function hashOf(
  source: Source,
  signal: AbortSignal | undefined,
  prefix: number,
): Promise<{ all: string; prefix: string }> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  let at = 0;
  let first: Hash | undefined = prefix === 0 ? createHash('sha256') : undefined;
  while (at < source.size) {
    throwIfAborted(signal);
    const wanted = at < prefix ? Math.min(buffer.length, prefix - at) : buffer.length;
    const size = await source.read(at, buffer.subarray(0, wanted));
    if (size === 0) break;
    hash.update(buffer.subarray(0, size));
    at += size;
    if (at === prefix) first = hash.copy();
  }
  return { all: hash.digest('hex'), prefix: first?.digest('hex') ?? '' };
}

/** Uploads to the same path of an account are serialised over all connections: they share a temporary file. */
const inTurn = createKeyedQueue();

export function createUploader({ shell, sftp, resolvePath, account }: FileServices): SshSession['upload'] {
  async function upload(source: Source, path: string, options: UploadOptions): Promise<{ sent: number }> {
    const { signal, mode, onProgress } = options;
    const { all: sha256 } = await hashOf(source, signal, 0);
    const slash = path.lastIndexOf('/');
    const temporary = `${path.slice(0, slash)}/${partName(path.slice(slash + 1), sha256, account)}`;
    const place = { path, temporary, size: source.size, sha256, mode };
    const site = await lookAtSite(shell, place, signal);
    if (site.isThere) return { sent: 0 };

    const start = await resumeFrom(source, site, signal);
    const needed = source.size - start;
    if (site.free < needed) {
      throw new RinglabError('node_disk_full', {
        path: path.slice(0, slash) || '/',
        needed,
        free: site.free,
      });
    }
    const progress = (done: number): void => onProgress?.({ done, total: source.size });
    progress(start);
    try {
      await send(source, temporary, start, progress, signal);
      await settleUpload(shell, place, signal);
    } catch (error) {
      throw await explain(error, path, temporary, needed);
    }
    return { sent: needed };
  }

  async function resumeFrom(
    source: Source,
    site: UploadSite,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const { partial } = site;
    if (partial === undefined || partial.size === 0 || partial.size > source.size) return 0;
    const { prefix } = await hashOf(source, signal, partial.size);
    return prefix === partial.sha256 ? partial.size : 0;
  }

  async function send(
    source: Source,
    temporary: string,
    start: number,
    progress: (done: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (source.size - start > smallBytes) {
      const done = await sftp.with(
        (channel) => sendOverSftp(channel, source, temporary, start, progress, signal),
        signal,
      );
      if (done !== undefined) return;
    }
    await sendOverExec(shell, source, temporary, start, progress, signal);
  }

  async function explain(error: unknown, path: string, temporary: string, needed: number): Promise<unknown> {
    if (isCancelled(error)) return error;
    const isOurs = error instanceof RinglabError;
    if (
      isOurs &&
      ['connection_lost', 'hash_mismatch', 'channel_refused', 'node_disk_full'].includes(error.code)
    )
      return error;
    const detail = isOurs ? (error.detail ?? error.message) : reasonOf(error);
    const said = typeof detail === 'string' ? detail : detail.en;
    // SFTP reports a full disk only as 'Failure'.
    const free = await freeBytes(shell, temporary).catch(() => undefined);
    if (free === undefined)
      return new RinglabError('connection_lost', { host: shell.host }, { detail, cause: error });
    if (/No space left|quota/i.test(said) || free < blockBytes * inFlight) {
      const folder = path.slice(0, path.lastIndexOf('/')) || '/';
      return new RinglabError('node_disk_full', { path: folder, needed, free }, { detail, cause: error });
    }
    const reason = typeof detail === 'string' ? (detail.split('\n').at(-1) ?? detail) : detail;
    return new RinglabError('transfer_failed', { path, reason }, { detail, cause: error });
  }

  return async (origin, remotePath, options = {}) => {
    const path = await resolvePath(remotePath);
    return inTurn(`${account} ${path}`, async () => {
      throwIfAborted(options.signal);
      const source = await openSource(origin);
      try {
        return await upload(source, path, options);
      } finally {
        await source.close();
      }
    });
  };
}

/** Many concurrent writes, in order, so that the bytes before an interruption are a valid prefix. */
async function sendOverSftp(
  sftp: SFTPWrapper,
  source: Source,
  path: string,
  start: number,
  progress: (done: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const handle = await openFile(sftp, path, start > 0 ? 'r+' : 'w');
  let done = start;
  await inParallel(async (push) => {
    for (let at = start; at < source.size;) {
      throwIfAborted(signal);
      const block = Buffer.allocUnsafe(Math.min(blockBytes, source.size - at));
      const size = await source.read(at, block);
      if (size === 0) throw new WordedError(phrase('reasons.sentShorter'));
      const position = at;
      await push(async () => {
        await answer<unknown>(sftp, (callback) =>
          sftp.write(handle, block, 0, size, position, (error) => callback(error, undefined)),
        );
        done += size;
        progress(done);
      });
      at += size;
    }
  });
  await answer<unknown>(sftp, (callback) => sftp.close(handle, (error) => callback(error, undefined)));
}

/** Without SFTP, and for small files: the bytes go to a command's standard input. */
async function sendOverExec(
  shell: Shell,
  source: Source,
  path: string,
  start: number,
  progress: (done: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const quoted = shellQuote(path);
  const script = start > 0 ? `cat >>${quoted}` : `cat >${quoted}`;
  if (source.size - start <= smallBytes) {
    const block = Buffer.alloc(source.size - start);
    await source.read(start, block);
    const result = await exec(shell, script, { stdin: block, signal });
    if (result.code !== 0) throw new WordedError(result.stderr.trim());
    progress(source.size);
    return;
  }
  const process = await shell.gate.open(() => startProcess(shell, script), { signal });
  let output = '';
  process.stdout.resume();
  process.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-2000);
  });
  const onAbort = (): void => hangUp(shell, process);
  signal?.addEventListener('abort', onAbort, { once: true });
  const over = new AbortController();
  const ended = process.ended.finally(() => over.abort());
  const gone = new Promise<void>((resolve) =>
    over.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  try {
    for (let at = start; at < source.size && !over.signal.aborted;) {
      throwIfAborted(signal);
      const block = Buffer.allocUnsafe(Math.min(8 * blockBytes, source.size - at));
      const size = await source.read(at, block);
      if (size === 0) throw new WordedError(phrase('reasons.sentShorter'));
      // The callback is not called where the channel closes first.
      await Promise.race([
        new Promise<void>((resolve) => process.stdin.write(block.subarray(0, size), () => resolve())),
        gone,
      ]);
      at += size;
      progress(at);
    }
    process.stdin.end();
    const outcome = await ended;
    throwIfAborted(signal);
    if (outcome === undefined) throw new RinglabError('connection_lost', { host: shell.host });
    if (outcome.code !== 0)
      throw new WordedError(output.trim() === '' ? exitWords(outcome.code) : output.trim());
  } finally {
    signal?.removeEventListener('abort', onAbort);
    hangUp(shell, process);
  }
}
