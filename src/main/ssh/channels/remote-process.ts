/**
 * Runs a script on the node under a plain POSIX `sh`, whatever the login shell (fish, csh) and the output of its
 * start-up files. The login shell gets one constant line that every shell parses alike; the script is sent over
 * standard input, so it has no length limit and is in no process list. Output before our marker is start-up noise.
 */
import { randomBytes } from 'node:crypto';
import { Transform, type Readable, type TransformCallback, type Writable } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import { ChannelRefused, CommandRefused, type Opened } from './channel-gate.ts';
import { guardConnection } from '../connection/connection-guard.ts';
import { phrase } from '../../i18n/index.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { plainEnvironment } from './plain-environment.ts';

/**
 * No newline, no `!` and no quote inside the quotes: the same in sh, bash, zsh, csh, tcsh and fish. Lines before the
 * loader's are skipped: a start-up file may have read the first ones.
 */
const command = `exec /bin/sh -c 'while IFS= read -r B||exit 96;do case $B in R=*)break;;esac;done;eval "$B"'`;
/** Copies of the command before the loader, for a start-up file that reads a line or starts another shell. */
const copies = 4;

/** Bytes of start-up output kept for the message where the script never starts. */
const noiseKept = 2000;
/** A start-up file that prints more than this before the script starts is considered endless. */
export const maxNoise = 16 * 1024 * 1024;
/** Maximum digits of a pid. */
const maxDigits = 10;
/** Milliseconds of silence after the exit status before nothing more is expected of the pipes. */
const drainMs = 2000;
/** Milliseconds after the exit status for all that is left in the pipes, on a slow link, too. */
const drainAtMostMs = 120_000;
/** Milliseconds between asking a process to end and killing it. */
const hangUpMs = 1500;
const abandonMs = 5000;

export interface RemoteProcess {
  readonly stdin: Writable;
  /** Without start-up output. The caller must read both to their ends. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the channel is closed; undefined where the connection was lost before an exit status arrived. */
  readonly ended: Promise<{ code: number | null; signal: string | null } | undefined>;
  /** The output before the script started; all output where it never did. */
  noise(): string;
  started(): boolean;
  /** More than `maxNoise` was printed before the script started; the channel was closed. */
  isEndless(): boolean;
  /** The pid of the script, which leads its process group; undefined before it has started. */
  pid(): number | undefined;
  /**
   * Closes the channel, and asks the server to signal the process (SIGHUP, then SIGKILL). Not every server does:
   * OpenSSH refuses where root logged in, ssh2's server after our end was closed. `hangUp` of hang-up.ts makes sure.
   */
  letGo(): void;
  /** Closes the channel without ending the process. */
  abandon(): void;
}

export interface ProcessOptions {
  /**
   * Ends the script and all it started as soon as our end of the channel is closed, including by a lost connection.
   * Such a script has no standard input, and no `wait` without arguments.
   */
  readonly isTethered?: boolean;
}

/** Drops everything before the marker, reads the number after it, and passes the rest unchanged. */
class AfterMarker extends Transform {
  private readonly marker: Buffer;
  private readonly distrust: (what: Phrase) => RinglabError;
  private seen: Buffer = Buffer.alloc(0);
  private readonly onNoise: (bytes: number) => void;
  found = false;
  pid: number | undefined;

  constructor(marker: string, onNoise: (bytes: number) => void, distrust: (what: Phrase) => RinglabError) {
    super();
    this.marker = Buffer.from(marker);
    this.onNoise = onNoise;
    this.distrust = distrust;
  }

  /** The bytes before the marker; all bytes where there was none. */
  get noise(): string {
    return this.seen.subarray(-noiseKept).toString('utf8').trim();
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    if (this.found) {
      done(null, chunk);
      return;
    }
    this.seen = Buffer.concat([this.seen, chunk]);
    const at = this.seen.indexOf(this.marker);
    const digits = at + this.marker.length;
    const end = at === -1 ? -1 : this.seen.indexOf(';', digits);
    if (at !== -1 && (end === -1 ? this.seen.length : end) > digits + maxDigits) {
      done(this.distrust(phrase('reasons.node.endless')));
      return;
    }
    if (end === -1) {
      if (at === -1) this.seen = this.seen.subarray(-(noiseKept + this.marker.length));
      this.onNoise(chunk.length);
      done();
      return;
    }
    this.found = true;
    const number = this.seen.toString('latin1', digits, end);
    this.pid = /^\d+$/.test(number) ? Number(number) : undefined;
    const rest = this.seen.subarray(end + 1);
    this.seen = this.seen.subarray(0, at);
    done(null, rest);
  }
}

/** Waits for the end of standard input and then ends the whole process group; ignores SIGHUP itself. */
const tether =
  `exec 3<&0;{ trap '' HUP;IFS= read -r X;kill -HUP -$$;sleep 2;kill -KILL -$$; } <&3 3<&- >/dev/null 2>&1 &` +
  `exec </dev/null 3<&-;`;

/**
 * The line that reads the script's lines and runs them; builtins only, so that exactly these bytes are consumed. An
 * incomplete script is not run.
 */
function bootstrap(marker: string, script: string, isTethered: boolean): string {
  const lines = script.split('\n');
  const loader =
    `R=;${plainEnvironment}N=$(printf '\\nx');N=\${N%x};S=;I=0;` +
    `while [ $I -lt ${lines.length} ];do IFS= read -r L||exit 97;S=$S$L$N;I=$((I+1));done;` +
    `unset B D I L N R;printf '%s;' ${marker}$$;printf '%s;' ${marker}$$ >&2;` +
    `${isTethered ? tether : ''}eval "unset S;$S"`;
  return `${`${command}\n`.repeat(copies)}${loader}\n${lines.join('\n')}\n`;
}

/** ssh2's own `signal()` does nothing once our end of the channel is closed, though RFC 4254 allows it (6.9). */
function sendSignal(client: Client, channel: ClientChannel, name: 'HUP' | 'KILL'): void {
  // Fields that ssh2 has but does not type; without them the channel is only closed.
  const { _protocol: protocol } = client as { _protocol?: { signal?(id: number, name: string): void } };
  const { outgoing } = channel as { outgoing?: { id: number; state: string } };
  if (outgoing === undefined || outgoing.state === 'closed' || outgoing.state === 'closing') return;
  try {
    protocol?.signal?.(outgoing.id, name);
  } catch {
    // The connection was lost meanwhile: nothing is left to signal.
  }
}

/** Rejects with ChannelRefused, CommandRefused or `connection_lost`. */
export function startProcess(
  { client, host }: { readonly client: Client; readonly host: string },
  script: string,
  { isTethered = false }: ProcessOptions = {},
): Promise<Opened<RemoteProcess>> {
  return new Promise((resolve, reject) => {
    const onChannel = (error: Error | undefined, channel: ClientChannel): void => {
      if (error !== undefined) reject(openError(host, error));
      else resolve(attach(client, channel, (marker) => bootstrap(marker, script, isTethered)));
    };
    try {
      client.exec(command, onChannel);
    } catch (error) {
      reject(new RinglabError('connection_lost', { host }, { cause: error }));
    }
  });
}

/** Why ssh2 opened no channel: limit reached, no such service, or no connection. */
export function openError(host: string, error: Error): Error {
  if ('reason' in error && error.reason !== undefined) return new ChannelRefused(error.message);
  if (/Unable to exec/.test(error.message)) {
    return new CommandRefused(
      new RinglabError(
        'command_failed',
        { code: 1, command: 'exec' },
        { detail: error.message, cause: error },
      ),
    );
  }
  return new RinglabError('connection_lost', { host }, { detail: error.message, cause: error });
}

function attach(
  client: Client,
  channel: ClientChannel,
  firstLines: (marker: string) => string,
): Opened<RemoteProcess> {
  const marker = `RINGLAB-${randomBytes(12).toString('hex')}:`;
  const distrust = (what: Phrase): RinglabError => guardConnection(client).distrust(what);
  let isOver = false;
  let isGone = false;
  let noiseBytes = 0;
  const onNoise = (bytes: number): void => {
    noiseBytes += bytes;
    if (noiseBytes > maxNoise) letGo();
  };
  const stdout = channel.pipe(new AfterMarker(marker, onNoise, distrust));
  const stderr = channel.stderr.pipe(new AfterMarker(marker, onNoise, distrust));
  let outcome: { code: number | null; signal: string | null } | undefined;
  const timers = new Set<NodeJS.Timeout>();
  const later = (ms: number, act: () => void): NodeJS.Timeout => {
    const timer = setTimeout(act, ms);
    timers.add(timer);
    return timer;
  };
  /** Drains the stream, so that the channel can close without a reader. */
  const discard = (): void => {
    for (const stream of [channel, channel.stderr]) {
      stream.unpipe();
      stream.resume();
    }
    stdout.destroy();
    stderr.destroy();
  };

  let finish = (): void => undefined;
  /** The server does not confirm the end: what has arrived is all there is. */
  const abandon = (): void => {
    for (const stream of [channel, channel.stderr]) stream.unpipe();
    stdout.end();
    stderr.end();
    finish();
  };
  // Readers get an error when the connection closes.
  stdout.on('error', discard);
  stderr.on('error', discard);
  const ended = new Promise<typeof outcome>((resolve) => {
    finish = () => {
      isOver = true;
      timers.forEach(clearTimeout);
      resolve(outcome);
    };
    channel.once('exit', (code: number | null, signal?: string) => {
      outcome = { code, signal: signal?.replace(/^SIG/, '') ?? null };
      // A background process may hold the pipes open for ever: sshd then keeps the channel open, but we do not.
      const silent = [later(drainMs, () => channel.close()), later(drainMs + abandonMs, abandon)];
      const until = performance.now() + drainAtMostMs;
      for (const stream of [channel, channel.stderr])
        stream.on('data', () => {
          if (!isOver && performance.now() < until) silent.forEach((timer) => timer.refresh());
        });
    });
    channel.once('close', () => finish());
    channel.on('error', () => channel.close());
    // A script that never reads its input closes the pipe; that is not an error.
    channel.stdin.on('error', () => undefined);
  });

  const letGo = (): void => {
    if (isGone || isOver) return;
    isGone = true;
    discard();
    sendSignal(client, channel, 'HUP');
    channel.end();
    later(hangUpMs, () => sendSignal(client, channel, 'KILL'));
    later(hangUpMs + drainMs, () => channel.close());
    later(hangUpMs + drainMs + abandonMs, abandon);
  };

  channel.write(firstLines(marker));
  return {
    value: {
      stdin: channel,
      stdout,
      stderr,
      ended,
      started: () => stdout.found,
      noise: () => [stdout.noise, stderr.noise].filter((text) => text !== '').join('\n'),
      pid: () => stdout.pid,
      isEndless: () => noiseBytes > maxNoise,
      abandon() {
        if (isGone || isOver) return;
        isGone = true;
        discard();
        channel.close();
      },
      letGo,
    },
    closed: ended,
  };
}
