/** Public interface of the SSH layer. `index.ts` re-exports it. */
import type { Duplex } from 'node:stream';
import type { Authentication } from '../../shared/lab/access.ts';
import type { WireError } from '../../shared/base/errors.ts';
import type { TerminalSize } from '../../shared/node/terminal.ts';

export interface SshHop {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly authentication: Authentication | { readonly method: 'app-key'; readonly privateKey: string };
  /**
   * The expected host key of the app's own local nodes: base64 of the public key. Without it known_hosts and the
   * trust store decide.
   */
  readonly pinnedHostKey?: string;
  /** The jump host, if any: chains are nested. */
  readonly jump?: SshHop | undefined;
}

/** A machine to connect to. `labId` and `nodeId` identify it in prompts and events. */
export interface SshTarget extends SshHop {
  readonly labId: string;
  readonly nodeId: string;
  readonly nodeName: string;
  /** A local node: this computer, by a server of the app's own whose port is another at each start. */
  readonly thisComputer?: true;
}

export interface ExecOptions {
  /** Sent to the command's standard input, which is then closed. Use it for secrets, never the command line. */
  readonly stdin?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** Time-out in milliseconds; 60 000 by default. The remote process is then ended. */
  readonly timeoutMs?: number;
  /** Maximum number of bytes kept of each stream (the newest); 1 MiB by default. */
  readonly maxOutputBytes?: number;
  /**
   * For commands that only watch: the channel is closed when others need it, and never waited for. exec then rejects
   * with `channel_refused`, and the caller falls back to polling. Such a command has no standard input and may not
   * `wait` without arguments; it ends with the connection.
   */
  readonly yields?: boolean;
  /**
   * For short commands without standard input: runs in a shared shell that is kept open, if that is free, instead of
   * a separate channel. A signal that ends it is reported as exit code 128 + n.
   */
  readonly brief?: boolean;
  /** A brief command that starts processes which must survive: ending a later command does not end them. */
  readonly leavesProcesses?: boolean;
  /** Called with each chunk as it arrives, decoded as UTF-8 across chunks. */
  readonly onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
}

export interface ExecResult {
  /** null where a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface TransferProgress {
  readonly done: number;
  readonly total: number;
}

/** A chunk of an append-only file from a byte offset. */
export interface FileChunk {
  /** Offset of the first byte of `bytes`. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** The file's size when it was read; smaller than the requested offset where it was truncated. */
  readonly size: number;
}

export interface TerminalOptions extends TerminalSize {
  readonly command?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SshTerminal {
  onData(listener: (chunk: Buffer) => void): void;
  write(text: string): void;
  resize(size: TerminalSize): void;
  /** Stops reading; once the connection's window is full, the remote process blocks. */
  pause(): void;
  resume(): void;
  close(): void;
  /**
   * Resolves with the exit status, 128 + n where a signal ended it; undefined where the connection was lost first or the
   * node hung up.
   */
  readonly ended: Promise<number | undefined>;
}

export interface NodePort {
  readonly port: number;
  close(): Promise<void>;
}

export interface SshSession {
  readonly target: SshTarget;
  /** Fingerprint of the host key that was verified before the login; with the address it identifies the machine. */
  readonly hostKey: string;
  /** Absolute path of the home folder on the node; replaces `~/` in remote paths. */
  home(): Promise<string>;
  /**
   * Runs `script` under a plain POSIX `sh`, whatever the login shell and its start-up files. Never throws for a
   * non-zero exit.
   */
  exec(script: string, options?: ExecOptions): Promise<ExecResult>;
  /** Like exec, but a non-zero exit throws `command_failed` with the end of stderr. Returns stdout. */
  run(script: string, options?: ExecOptions): Promise<string>;
  /**
   * Uploads to a temporary name, verifies the SHA-256 on the node, renames. Skipped where the same content already
   * exists. Uses SFTP, or exec where the server has none. Resumes an interrupted upload. Remote paths are absolute or
   * start with `~/`.
   */
  upload(
    source: { path: string } | { bytes: Uint8Array },
    remotePath: string,
    options?: {
      mode?: number;
      signal?: AbortSignal | undefined;
      onProgress?: (progress: TransferProgress) => void;
    },
  ): Promise<{ sent: number }>;
  /**
   * Downloads to a temporary name beside `localPath`, verifies the SHA-256, renames. Accepts at most `max` bytes (16
   * GiB by default), whatever the node announces, and never more than the local disk has free.
   */
  download(
    remotePath: string,
    localPath: string,
    options?: {
      signal?: AbortSignal | undefined;
      onProgress?: (progress: TransferProgress) => void;
      max?: number | undefined;
    },
  ): Promise<{ bytes: number }>;
  /** A terminal with the user's login shell, or with `command` instead. */
  terminal(options: TerminalOptions): Promise<SshTerminal>;
  /**
   * Opens a port on the node's loopback, chosen by the node; its connections are forwarded here. Throws
   * forwarding_refused.
   */
  listen(onConnection: (stream: Duplex) => void): Promise<NodePort>;
  /** Resolves (never rejects) with the reason when the connection is closed. */
  readonly closed: Promise<WireError | undefined>;
}

export interface SshPool {
  /**
   * The live session of a target, shared by all callers; connects where there is none. Verifies the host key before
   * sending credentials; one authentication attempt for each credential. Rejects with a RinglabError of the trust,
   * login or connection codes.
   */
  session(target: SshTarget, signal?: AbortSignal): Promise<SshSession>;
  /** Closes the connection to a node, e.g. when its address was edited. */
  drop(labId: string, nodeId: string): void;
  close(): Promise<void>;
}
