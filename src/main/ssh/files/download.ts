/** Downloads files: to a temporary name beside the target, verified, renamed; an interrupted download is resumed. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SFTPWrapper } from 'ssh2';
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import { reasonOf } from '../../base/reason.ts';
import { throwIfAborted } from '../../base/abort.ts';
import type { SshSession } from '../contract.ts';
import { lookAtFile, type RemoteFile } from './remote-file.ts';
import { hangUp } from '../channels/hang-up.ts';
import { createIntake, isIntakeStop, localFreeBytes, needLocalBytes, type FreeBytes } from './local-space.ts';
import { startProcess } from '../channels/remote-process.ts';
import { answer, blockBytes, FileShrank, inParallel, openFile, readBlock } from '../channels/sftp.ts';
import { shellQuote } from '../channels/shell-quote.ts';
import type { FileServices } from './upload.ts';
import { phrase } from '../../i18n/index.ts';

/** Default maximum size of a download. */
const maxBytes = 16 * 1024 ** 3;

/** Maximum number of attempts for a file that is replaced while it is read. */
const attempts = 3;

type DownloadOptions = NonNullable<Parameters<SshSession['download']>[2]>;

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/**
 * The partial file to resume for this content and name. Parts of other contents are removed: a node that reports
 * another hash and breaks off each time would fill the disk.
 */
async function partFor(to: string, sha256: string): Promise<string> {
  const prefix = `.ringlab-${shortHash(basename(to))}-`;
  const part = `${prefix}${shortHash(sha256)}.part`;
  const folder = dirname(to);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder))
    if (name.startsWith(prefix) && name.endsWith('.part') && name !== part)
      await rm(join(folder, name), { force: true });
  return join(folder, part);
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  // A stream of Buffers: no encoding is set.
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

/** Converts errors of this computer's disk; others are not changed. */
function localError(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new RinglabError('local_disk_full', { path }, { cause: error });
  if (error instanceof Error && 'syscall' in error && !(error instanceof RinglabError)) {
    return new RinglabError('file_unwritable', { path, reason: error.message }, { cause: error });
  }
  return error;
}

export function createDownloader(
  { shell, sftp, resolvePath }: FileServices,
  freeBytes: FreeBytes = localFreeBytes,
): SshSession['download'] {
  /** @returns false where the received content differs from what the node had reported */
  async function attempt(
    from: string,
    to: string,
    remote: RemoteFile,
    { signal, onProgress, max = maxBytes }: DownloadOptions,
  ): Promise<boolean> {
    if (remote.size > max)
      throw new RinglabError('download_too_large', { path: from, size: remote.size, limit: max });
    const part = await partFor(to, remote.sha256);
    const progress = (done: number): void => onProgress?.({ done, total: remote.size });
    const held = await stat(part).then(
      ({ size }) => (size <= remote.size ? size : 0),
      () => 0,
    );
    await needLocalBytes(to, remote.size - held, freeBytes);
    const take = createIntake({ name: from, path: to, max, have: held, freeBytes });
    const file = await open(part, held > 0 ? 'r+' : 'w');
    try {
      progress(held);
      if (held < remote.size) {
        const done = await sftp.with(
          (channel) => readOverSftp(channel, from, file, held, remote.size, take, progress, signal),
          signal,
        );
        if (done === undefined) await readOverExec(from, file, held, remote.size, take, progress, signal);
      }
      await file.sync();
    } catch (error) {
      if (isIntakeStop(localError(error, to))) await rm(part, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    if (remote.sha256 !== 'none' && (await hashFile(part)) !== remote.sha256) {
      await rm(part, { force: true });
      return false;
    }
    await rename(part, to);
    return true;
  }

  async function readOverExec(
    from: string,
    file: FileHandle,
    start: number,
    size: number,
    take: (bytes: number) => Promise<void>,
    progress: (done: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const script = `tail -c +${start + 1} ${shellQuote(from)}`;
    const process = await shell.gate.open(() => startProcess(shell, script), { signal });
    const onAbort = (): void => hangUp(shell, process);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      process.stdin.end();
      process.stderr.resume();
      let at = start;
      // A Transform without an encoding gives Buffers.
      for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
        const wanted = chunk.subarray(0, size - at);
        await take(wanted.length);
        await file.write(wanted, 0, wanted.length, at);
        at += wanted.length;
        progress(at);
        if (at === size) break;
      }
      throwIfAborted(signal);
      if (at < size && (await process.ended) === undefined) {
        throw new RinglabError('connection_lost', { host: shell.host });
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      hangUp(shell, process);
    }
  }

  return async (remotePath, localPath, options = {}) => {
    const from = await resolvePath(remotePath);
    try {
      for (let attemptNumber = 0; attemptNumber < attempts; attemptNumber += 1) {
        throwIfAborted(options.signal);
        const remote = await lookAtFile(shell, from, options.signal);
        if (remote === undefined) {
          throw new RinglabError('transfer_failed', {
            path: remotePath,
            reason: phrase('reasons.notOnNode'),
          });
        }
        const isWhole = await attempt(from, localPath, remote, options).catch((error: unknown) => {
          // Written anew in place at this moment: it is empty first.
          if (error instanceof FileShrank && attemptNumber + 1 < attempts) return false;
          throw error;
        });
        if (isWhole) return { bytes: remote.size };
      }
    } catch (error) {
      if (isCancelled(options.signal?.aborted === true ? new RinglabError('cancelled') : error)) {
        throw new RinglabError('cancelled', {}, { cause: error });
      }
      const known = localError(error, localPath);
      if (known instanceof RinglabError) throw known;
      throw new RinglabError(
        'transfer_failed',
        { path: remotePath, reason: reasonOf(error) },
        { cause: error },
      );
    }
    throw new RinglabError('hash_mismatch', { path: remotePath });
  };
}

async function readOverSftp(
  sftp: SFTPWrapper,
  from: string,
  file: FileHandle,
  start: number,
  size: number,
  take: (bytes: number) => Promise<void>,
  progress: (done: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const handle = await openFile(sftp, from, 'r');
  let done = start;
  const write = async (bytes: Buffer, at: number): Promise<void> => {
    await take(bytes.length);
    await file.write(bytes, 0, bytes.length, at);
    done += bytes.length;
    progress(done);
  };
  await inParallel(async (push) => {
    for (let at = start; at < size; at += blockBytes) {
      throwIfAborted(signal);
      await push(() => readBlock(sftp, handle, at, Math.min(blockBytes, size - at), write));
    }
  });
  await answer<unknown>(sftp, (callback) => sftp.close(handle, (error) => callback(error, undefined)));
}
