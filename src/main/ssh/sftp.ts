/** SFTP channels: opened for one transfer, and ended after it. A server without SFTP is asked once a connection. */
import type { SFTPWrapper } from 'ssh2';
import { RinglabError } from '../../shared/errors.ts';
import { ChannelRefused, type Opened } from './channel-gate.ts';
import type { Shell } from './shell.ts';
import { openError } from './remote-process.ts';

const openWithinMs = 10_000;

export interface SftpDoor {
  /** Does `work` with a channel and ends it; undefined where the server has no working SFTP (then `work` is not called). */
  with<T>(work: (sftp: SFTPWrapper) => Promise<T>, signal?: AbortSignal): Promise<{ value: T } | undefined>;
}

function openSftp({ client, host }: Shell): Promise<Opened<SFTPWrapper>> {
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
      resolve({ value: sftp, closed: new Promise((gone) => sftp.once('close', gone)) });
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
      let sftp: SFTPWrapper;
      try {
        sftp = await shell.gate.open(() => openSftp(shell), { signal });
      } catch (error) {
        if (!(error instanceof RinglabError) || error.code !== 'sftp_unavailable') throw error;
        isOff = true;
        return undefined;
      }
      try {
        return { value: await work(sftp) };
      } finally {
        sftp.end();
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
    const onClose = (): void => reject(new Error('the SFTP channel closed'));
    sftp.once('close', onClose);
    ask((error, value) => {
      sftp.removeListener('close', onClose);
      if (error) reject(error);
      else resolve(value);
    });
  });
}
