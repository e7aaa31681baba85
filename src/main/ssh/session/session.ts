/** A live SSH session on a node: commands and files over its channels. */
import type { Client } from 'ssh2';
import { RinglabError, toWireError, type WireError } from '../../../shared/base/errors.ts';
import { createChannelGate } from '../channels/channel-gate.ts';
import type { Clock } from '../../base/clock.ts';
import { guardConnection } from '../connection/connection-guard.ts';
import type { SshSession, SshTarget } from '../contract.ts';
import { createDownloader } from '../files/download.ts';
import { createCommandShell } from '../channels/command-shell.ts';
import { commandFailed, exec } from '../channels/exec.ts';
import { openNodePort } from '../channels/node-port.ts';
import type { Shell } from '../channels/shell.ts';
import { openTerminal } from '../channels/terminal.ts';
import { createSftpDoor } from '../channels/sftp.ts';
import { openOwnTerminal, type OwnConnection } from './own-terminal.ts';
import { createUploader } from '../files/upload.ts';
import { phrase } from '../../i18n/index.ts';

const goodbyeMs = 1000;

export interface SessionLink {
  readonly client: Client;
  readonly hostKey: string;
  /** Closed intentionally. */
  isDropped(): boolean;
  /** Logs in once more; rejects as `SshPool.session` does. */
  another(signal: AbortSignal | undefined): Promise<OwnConnection>;
  /** The underlying reason of a closed connection, where known (a failed jump host). */
  reason(): RinglabError | undefined;
}

export function createSession(target: SshTarget, link: SessionLink, clock: Clock): SshSession {
  const { client } = link;
  const { host, user } = target;
  const guard = guardConnection(client);
  const shell: Shell = { client, host, user, gate: createChannelGate(host, clock, () => endSoon(client)) };
  const where = target.nodeName;

  let saidLast: Error | undefined;
  client.on('error', (error: Error) => {
    saidLast = error;
  });
  const closed = new Promise<WireError | undefined>((resolve) => {
    client.once('close', () => {
      if (link.isDropped()) {
        resolve(undefined);
        return;
      }
      const error =
        guard.fault() ??
        link.reason() ??
        new RinglabError('connection_lost', { host }, { detail: saidLast?.message });
      resolve(toWireError(error.at(where)));
    });
  });

  /** Errors while the connection closes are reported as the connection's error. */
  const named = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof RinglabError)) throw error;
      const known = error.code === 'connection_lost' ? (guard.fault() ?? link.reason() ?? error) : error;
      throw known.at(where);
    }
  };

  const commands = createCommandShell(shell, (script, options) => exec(shell, script, options));
  const execAnywhere: SshSession['exec'] = (script, options = {}) =>
    options.brief === true ? commands.exec(script, options) : exec(shell, script, options);
  const run: SshSession['run'] = async (script, options) => {
    const result = await execAnywhere(script, options);
    if (result.code === 0) return result.stdout;
    throw commandFailed(script, result);
  };

  let home: Promise<string> | undefined;
  const findHome = (): Promise<string> => {
    home ??= run('printf %s "$HOME"', { brief: true }).then((path) => {
      if (/^\/[^\p{Cc}]*$/u.test(path) && path.length < 1024) return path.replace(/(?<=.)\/+$/, '');
      const home = JSON.stringify(path.slice(0, 200));
      throw new RinglabError('home_missing', { user, home }, { where, detail: `HOME=${home}` });
    });
    home.catch(() => {
      home = undefined;
    });
    return home;
  };
  const resolvePath = async (path: string): Promise<string> => {
    if (path === '~') return await findHome();
    if (path.startsWith('~/')) return `${await findHome()}/${path.slice(2)}`;
    if (path.startsWith('/')) return path;
    throw new RinglabError('transfer_failed', { path, reason: phrase('reasons.remotePath') }, { where });
  };

  const terminal: SshSession['terminal'] = async (options) => {
    try {
      return await openTerminal(shell, options);
    } catch (error) {
      const isTooMany = error instanceof RinglabError && error.code === 'terminals_per_connection';
      if (!isTooMany || shell.gate.limit() > 1) throw error;
      return await openOwnTerminal(options, () => link.another(options.signal), closed, endSoon);
    }
  };

  const account = `${link.hostKey} ${user}`;
  const files = { shell, sftp: createSftpDoor(shell), resolvePath, account };
  const upload = createUploader(files);
  const download = createDownloader(files);
  return {
    target,
    hostKey: link.hostKey,
    closed,
    home: () => named(findHome()),
    exec: (script, options) => named(execAnywhere(script, options)),
    run: (script, options) => named(run(script, options)),
    upload: (source, remotePath, options) => named(upload(source, remotePath, options)),
    listen: (onConnection) => named(openNodePort(shell, onConnection)),
    terminal: (options) => named(terminal(options)),
    download: (remotePath, localPath, options) => named(download(remotePath, localPath, options)),
  };
}

/** Connections that are being closed: several commands may find the server unresponsive at once. */
const ending = new WeakSet<Client>();

/** Sends a disconnect, and closes the connection if the server does not answer. */
function endSoon(client: Client): void {
  if (ending.has(client)) return;
  ending.add(client);
  client.end();
  const timer = setTimeout(() => client.destroy(), goodbyeMs);
  client.once('close', () => clearTimeout(timer));
}
