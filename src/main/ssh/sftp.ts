/** SFTP channels: opened for one transfer, and ended after it. A server without SFTP is asked once a connection. */
import type { SFTPWrapper } from 'ssh2';
import { RinglabError } from '../../shared/errors.ts';
import { ChannelRefused, type Opened } from './channel-gate.ts';
import type { Shell } from './shell.ts';
import { openError } from './remote-process.ts';

const openWithinMs = 10_000;
/** A server that does not confirm the end of a channel must not hold a place in the queue. */
const closeWithinMs = 5000;
/** For one request; a disk that wakes up takes seconds. */
const answerWithinMs = 60_000;

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
      // Whoever waits for an answer gets the error too.
      sftp.on('error', () => undefined);
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

/** A callback of ssh2 as a promise, which also settles when the channel goes. */
export function answer<T>(
  sftp: SFTPWrapper,
  ask: (done: (error: Error | null | undefined, value: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      settle();
      reject(new Error(`the node has not answered for ${answerWithinMs / 1000} s`));
    }, answerWithinMs);
    const onClose = (): void => {
      settle();
      reject(new Error('the SFTP channel closed'));
    };
    const settle = (): void => {
      clearTimeout(timer);
      sftp.removeListener('close', onClose);
    };
    sftp.once('close', onClose);
    ask((error, value) => {
      settle();
      if (error) reject(error);
      else resolve(value);
    });
  });
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
