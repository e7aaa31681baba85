/**
 * SFTP channels: opened for one transfer and closed after it. Whether a server has SFTP is tested once for a
 * connection.
 */
import type { SFTPWrapper } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { WordedError } from '../../base/reason.ts';
import { phrase } from '../../i18n/index.ts';
import { ChannelRefused, type Opened } from './channel-gate.ts';
import type { Shell } from './shell.ts';
import { openError } from './remote-process.ts';

const openWithinMs = 10_000;
/** A server that does not confirm the close must not block a place in the queue. */
const closeWithinMs = 5000;
/** Time-out of one request; a disk that wakes up takes seconds. */
const answerWithinMs = 60_000;
/** RFC draft-ietf-secsh-filexfer-02: a handle has at most 256 bytes. It is sent with every request. */
const maxHandleBytes = 256;
/** Minimum read size that a server may announce; less would mean reading byte by byte. */
const minAtOnce = 1024;
/** Maximum number of answers for a block of `blockBytes`: known servers answer with the whole, or with 4 KiB. */
const maxAnswersPerBlock = 64;

/** ssh2's fields for `limits@openssh.com`, which its types omit. */
interface Insides {
  readonly _maxReadLen?: number;
  readonly _maxWriteLen?: number;
}

/** Channels that have ended, with the reason: ssh2 would accept requests for them and never answer. */
const over = new WeakMap<SFTPWrapper, Error>();

interface SftpChannel {
  readonly sftp: SFTPWrapper;
  end(): void;
}

export interface SftpDoor {
  /**
   * Calls `work` with a channel and closes it; undefined where the server has no working SFTP (then `work` is not
   * called).
   */
  with<T>(work: (sftp: SFTPWrapper) => Promise<T>, signal?: AbortSignal): Promise<{ value: T } | undefined>;
}

function openSftp({ client, host }: Shell): Promise<Opened<SftpChannel>> {
  return new Promise((resolve, reject) => {
    const unavailable = (detail: Phrase | string): RinglabError =>
      new RinglabError('sftp_unavailable', { host }, { detail });
    let late = false;
    // A login shell whose start-up files print can make the protocol wait for ever.
    const timer = setTimeout(() => {
      late = true;
      reject(unavailable(phrase('reasons.noAnswer')));
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
        reject(unavailable(phrase('reasons.sftp.pieces')));
        return;
      }
      // Pending and later requests get the error.
      sftp.on('error', (broken: Error) => over.set(sftp, broken));
      sftp.once('close', () => {
        if (!over.has(sftp)) over.set(sftp, new WordedError(phrase('reasons.sftp.closed')));
      });
      // Every pending request listens for the close: dozens of listeners are not a leak here.
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

/** Converts an ssh2 callback to a promise that also settles when the channel closes, and for unknown error codes. */
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
      reject(new WordedError(phrase('reasons.sftp.silent', { seconds: answerWithinMs / 1000 })));
    }, answerWithinMs);
    const onClose = (): void => {
      settle();
      reject(new WordedError(phrase('reasons.sftp.closed')));
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
      // A request that ssh2 refuses to send.
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

/** Validates the answer: ssh2 also passes on attributes, names or a bare 'OK' instead of a handle. */
export async function openFile(sftp: SFTPWrapper, path: string, flags: 'r' | 'r+' | 'w'): Promise<Buffer> {
  const handle = await answer<unknown>(sftp, (done) => sftp.open(path, flags, done));
  if (!Buffer.isBuffer(handle) || handle.length > maxHandleBytes)
    throw new WordedError(phrase('reasons.sftp.unasked'));
  return handle;
}

/**
 * Returns how many bytes were read into `block`; 0 at the file's end. An answer without bytes is refused, because
 * `block` would contain uninitialised memory of this process.
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
    throw new WordedError(phrase('reasons.sftp.unasked'));
  if (count > block.length) throw new WordedError(phrase('reasons.sftp.more'));
  return count;
}

/** A file ends before what was asked for. */
export class FileShrank extends WordedError {}

/** Calls `take` with a block's pieces, in order, as they arrive. */
export async function readBlock(
  sftp: SFTPWrapper,
  handle: Buffer,
  position: number,
  length: number,
  take: (bytes: Buffer, at: number) => Promise<void>,
): Promise<void> {
  let at = position;
  for (let answers = 0; at < position + length; answers += 1) {
    if (answers === maxAnswersPerBlock) throw new WordedError(phrase('reasons.sftp.pieces'));
    const block = Buffer.allocUnsafe(position + length - at);
    const bytes = await readInto(sftp, handle, block, at);
    if (bytes === 0) throw new FileShrank(phrase('reasons.sftp.shorter'));
    await take(block.subarray(0, bytes), at);
    at += bytes;
  }
}

/**
 * Size of one request. ssh2 splits requests over 31,952 bytes for most servers, the second part after the first was
 * answered: writes would arrive out of order, and an interruption could leave holes.
 */
export const blockBytes = 31 * 1024;
/** Concurrent requests: with 40 ms latency, one at a time would give less than 1 MB/s. */
export const inFlight = 64;
/** The same until the first answer. */
const firstInFlight = 8;
/** Fewer are sent where they would wait longer: terminals, keep-alive messages and other nodes' requests wait behind them. */
const waitAtMostMs = 10_000;

/**
 * Sends requests without waiting for their answers, at most `inFlight` at once, fewer over a slow link. Settles when all are
 * answered, also where `produce` or one of them failed: pending writes of a cancelled transfer must not arrive later.
 */
export async function inParallel(
  produce: (push: (request: () => Promise<void>) => Promise<void>) => Promise<void>,
  now = (): number => performance.now(),
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let most = firstInFlight;
  const push = async (request: () => Promise<void>): Promise<void> => {
    const [asked, ahead] = [now(), underWay.size + 1];
    const tracked: Promise<void> = request()
      .catch((error: unknown) => void failures.push(error))
      .finally(() => {
        underWay.delete(tracked);
        const each = Math.max(1, now() - asked) / ahead;
        most = Math.min(inFlight, Math.max(1, Math.floor(waitAtMostMs / each)));
      });
    underWay.add(tracked);
    while (underWay.size >= most) await Promise.race(underWay);
    if (failures.length > 0) throw failures[0];
  };
  try {
    await produce(push);
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
}
