/** SFTP channels: opened for one transfer, and ended after it. A server without SFTP is asked once a connection. */
import type { SFTPWrapper } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import { ChannelRefused, type Opened } from './channel-gate.ts';
import type { Shell } from './shell.ts';
import { openError } from './remote-process.ts';

const openWithinMs = 10_000;
/** A server that does not confirm the end of a channel must not hold a place in the queue. */
const closeWithinMs = 5000;
/** For one request; a disk that wakes up takes seconds. */
const answerWithinMs = 60_000;
/** RFC draft-ietf-secsh-filexfer-02: a handle has at most 256 bytes. It goes with every request. */
const maxHandleBytes = 256;
/** Of one read, where a server says how much it takes; by less, files would be asked for byte by byte. */
const minAtOnce = 1024;
/** For one block of `blockBytes`: servers in use answer with the whole, or with 4 KiB. */
const maxAnswersPerBlock = 64;

/** What ssh2 believes of `limits@openssh.com`, which its types leave out. */
interface Insides {
  readonly _maxReadLen?: number;
  readonly _maxWriteLen?: number;
}

/** Channels that have ended, and why: ssh2 would take requests for them, and never answer. */
const over = new WeakMap<SFTPWrapper, Error>();

interface SftpChannel {
  readonly sftp: SFTPWrapper;
  end(): void;
}

export interface SftpDoor {
  /** Does `work` with a channel and ends it; undefined where the server has no working SFTP (then `work` is not called). */
  with<T>(work: (sftp: SFTPWrapper) => Promise<T>, signal?: AbortSignal): Promise<{ value: T } | undefined>;
}

function openSftp({ client, host }: Shell): Promise<Opened<SftpChannel>> {
  return new Promise((resolve, reject) => {
    const unavailable = (detail: string): RinglabError =>
      new RinglabError('sftp_unavailable', { host }, { detail });
    let late = false;
    // A login shell whose start-up files print can leave the protocol waiting for ever.
    const timer = setTimeout(() => {
      late = true;
      reject(unavailable('the subsystem does not answer'));
    }, openWithinMs);
    const onOpen = (error: Error | undefined, sftp: SFTPWrapper): void => {
      clearTimeout(timer);
      if (error !== undefined) {
        const known = openError(host, error);
        const isRefusal = known instanceof ChannelRefused || /Not connected|No response/.test(error.message);
        reject(isRefusal ? known : unavailable(error.message));
        return;
      }
      if (late) {
        sftp.end();
        return;
      }
      // Fields that ssh2 has but does not type (see Insides).
      const { _maxReadLen = Infinity, _maxWriteLen = Infinity } = sftp as Insides;
      if (Math.min(_maxReadLen, _maxWriteLen) < minAtOnce) {
        sftp.end();
        reject(unavailable('it takes or gives a few bytes at a time'));
        return;
      }
      // Whoever waits for an answer gets the error too, and who asks later.
      sftp.on('error', (broken: Error) => over.set(sftp, broken));
      sftp.once('close', () => {
        if (!over.has(sftp)) over.set(sftp, new Error('the SFTP channel closed'));
      });
      // Every request in flight also waits for the close: dozens of listeners are no leak here.
      sftp.setMaxListeners(0);
      let release: (() => void) | undefined;
      const closed = new Promise<void>((resolved) => {
        release = resolved;
        sftp.once('close', resolved);
      });
      const end = (): void => {
        sftp.end();
        const timer = setTimeout(() => release?.(), closeWithinMs);
        void closed.then(() => clearTimeout(timer));
      };
      resolve({ value: { sftp, end }, closed });
    };
    try {
      client.sftp(onOpen);
    } catch (error) {
      clearTimeout(timer);
      reject(new RinglabError('connection_lost', { host }, { cause: error }));
    }
  });
}

export function createSftpDoor(shell: Shell): SftpDoor {
  let isOff = false;
  return {
    async with(work, signal) {
      if (isOff) return undefined;
      let channel: SftpChannel;
      try {
        channel = await shell.gate.open(() => openSftp(shell), { signal });
      } catch (error) {
        if (!(error instanceof RinglabError) || error.code !== 'sftp_unavailable') throw error;
        isOff = true;
        return undefined;
      }
      try {
        return { value: await work(channel.sftp) };
      } finally {
        channel.end();
      }
    },
  };
}

/** A callback of ssh2 as a promise, which also settles when the channel goes, or says what SFTP does not know. */
export function answer<T>(
  sftp: SFTPWrapper,
  ask: (done: (error: Error | null | undefined, value: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = over.get(sftp);
    if (ended !== undefined) {
      reject(ended);
      return;
    }
    const timer = setTimeout(() => {
      settle();
      reject(new Error(`the node has not answered for ${answerWithinMs / 1000} s`));
    }, answerWithinMs);
    const onClose = (): void => {
      settle();
      reject(new Error('the SFTP channel closed'));
    };
    const onError = (error: Error): void => {
      settle();
      reject(error);
    };
    const settle = (): void => {
      clearTimeout(timer);
      sftp.removeListener('close', onClose);
      sftp.removeListener('error', onError);
    };
    sftp.once('close', onClose);
    sftp.once('error', onError);
    try {
      ask((error, value) => {
        settle();
        if (error) reject(error);
        else resolve(value);
      });
    } catch (error) {
      // A request that ssh2 refuses to make.
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

/** ssh2 hands over whatever kind of answer came: attributes and names are no handle, and nor is a bare 'OK'. */
export async function openFile(sftp: SFTPWrapper, path: string, flags: 'r' | 'r+' | 'w'): Promise<Buffer> {
  const handle = await answer<unknown>(sftp, (done) => sftp.open(path, flags, done));
  if (!Buffer.isBuffer(handle) || handle.length > maxHandleBytes)
    throw new Error('the node answers what it was not asked');
  return handle;
}

/**
 * How many bytes came into `block`; 0 at the file's end. Where the node answers with something else than bytes, `block` holds
 * what this process had in that memory before: it is refused.
 */
export async function readInto(
  sftp: SFTPWrapper,
  handle: Buffer,
  block: Buffer,
  position: number,
): Promise<number> {
  const count = await answer<unknown>(sftp, (done) =>
    sftp.read(handle, block, 0, block.length, position, (error, bytes) => done(error, bytes)),
  );
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0)
    throw new Error('the node answers what it was not asked');
  if (count > block.length) throw new Error('the node sends more than it was asked for');
  return count;
}

/** Calls `take` with a block's pieces, in order, as they come. */
export async function readBlock(
  sftp: SFTPWrapper,
  handle: Buffer,
  position: number,
  length: number,
  take: (bytes: Buffer, at: number) => Promise<void>,
): Promise<void> {
  let at = position;
  for (let answers = 0; at < position + length; answers += 1) {
    if (answers === maxAnswersPerBlock) throw new Error('the node sends a few bytes at a time');
    const block = Buffer.allocUnsafe(position + length - at);
    const bytes = await readInto(sftp, handle, block, at);
    if (bytes === 0) throw new Error('the file became shorter while it was read');
    await take(block.subarray(0, bytes), at);
    at += bytes;
  }
}

/**
 * One request. ssh2 sends what is over 31,952 bytes to most servers in two, the second after the first was answered:
 * writes would then arrive out of order, and what an interruption leaves would have holes.
 */
export const blockBytes = 31 * 1024;
/** Requests under way: on a link of 40 ms one at a time would give less than 1 MB/s. */
export const inFlight = 64;

/**
 * Requests one after the other without waiting for their answers, `inFlight` at most. Settles when all are answered,
 * also where `produce` or one of them failed: what is under way when a transfer is cancelled must not land later.
 */
export async function inParallel(
  produce: (push: (request: () => Promise<void>) => Promise<void>) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const push = async (request: () => Promise<void>): Promise<void> => {
    const tracked: Promise<void> = request()
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(tracked));
    underWay.add(tracked);
    if (underWay.size >= inFlight) await Promise.race(underWay);
    if (failures.length > 0) throw failures[0];
  };
  try {
    await produce(push);
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
}
