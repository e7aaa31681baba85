/** What the SSH layer promises to the services above it. `index.ts` re-exports this. */
import type { Duplex } from 'node:stream';
import type { Authentication } from '../../shared/lab/lab.ts';
import type { WireError } from '../../shared/base/errors.ts';
import type { TerminalSize } from '../../shared/node/terminal.ts';

export interface SshHop {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly authentication: Authentication | { readonly method: 'app-key'; readonly privateKey: string };
  /** Trusted beforehand, for the app's own local nodes: base64 of the public host key. Else known_hosts and the trust store decide. */
  readonly pinnedHostKey?: string;
  /** What it is behind, if anything: chains are longer jumps. */
  readonly jump?: SshHop | undefined;
}

/** A machine to reach. `labId` and `nodeId` name it in prompts and events. */
export interface SshTarget extends SshHop {
  readonly labId: string;
  readonly nodeId: string;
  readonly nodeName: string;
}

export interface ExecOptions {
  /** Sent to the command's standard input, which is then closed. Secrets travel here, never in the command line. */
  readonly stdin?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; 60 000 by default. The remote process is hung up on when it passes. */
  readonly timeoutMs?: number;
  /** Bytes kept of each stream (newest kept); 1 MiB by default. */
  readonly maxOutputBytes?: number;
  /**
   * For commands that only watch: the channel is given up when others need it, and never waited for. exec then rejects
   * with `channel_refused`, and the caller goes on in another way (it asks at intervals). Such a command has no standard
   * input and may not `wait` without arguments; it ends by itself when the connection does.
   */
  readonly yields?: boolean;
  /**
   * Short and without standard input: it runs in the shell that is kept open for such commands where that is free, instead of
   * on a channel of its own. A signal that ends it is reported as the exit code 128 + n.
   */
  readonly brief?: boolean;
  /** A brief command that starts processes which must outlive it: what ends a later command does not end them. */
  readonly leavesProcesses?: boolean;
  /** Called with each chunk as it comes, decoded as UTF-8 over chunk borders. */
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

/** Follows one append-only file from a byte offset. */
export interface FileChunk {
  /** Offset of the first byte of `bytes`. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** The file's size when it was read; smaller than the asked offset where it was truncated. */
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
  /** Stops reading, and so, once the connection's window is full, what runs there. */
  pause(): void;
  resume(): void;
  close(): void;
  /** Resolves with the exit status; undefined where the connection went first. */
  readonly ended: Promise<number | undefined>;
}

export interface NodePort {
  readonly port: number;
  close(): Promise<void>;
}

export interface SshSession {
  readonly target: SshTarget;
  /** Fingerprint of the host key that was verified before the login: with the address, what the machine is known by. */
  readonly hostKey: string;
  /** The home folder on the node, absolute; what `~/` in remote paths stands for. */
  home(): Promise<string>;
  /** Runs `script` under a plain POSIX `sh`, whatever the login shell and what its start-up files print. Never throws for a non-zero exit. */
  exec(script: string, options?: ExecOptions): Promise<ExecResult>;
  /** Like exec, but a non-zero exit throws `command_failed` with the last words of stderr. Returns stdout. */
  run(script: string, options?: ExecOptions): Promise<string>;
  /**
   * Uploads to a temporary name, checks the SHA-256 on the node, renames. Nothing is sent where the same content is
   * already there. Uses SFTP, or exec where the server has none. An interrupted upload goes on where it stopped.
   * Remote paths are absolute or start with `~/`.
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
   * Downloads to a temporary name beside `localPath`, checks the SHA-256, renames. Whatever the node announces, no more than
   * `max` bytes are taken (16 GiB by default), and none that this computer's disk has no room for.
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
  /** A terminal with the user's login shell, or with `command` instead of it. */
  terminal(options: TerminalOptions): Promise<SshTerminal>;
  /** A port of the node's loopback, chosen by the node; its connections come here. Throws forwarding_refused. */
  listen(onConnection: (stream: Duplex) => void): Promise<NodePort>;
  /** Resolves (never rejects) when the connection is gone, with the reason. */
  readonly closed: Promise<WireError | undefined>;
}

export interface SshPool {
  /**
   * The live session to a target, shared by all callers; connects where there is none. Host key before credentials;
   * one authentication attempt a credential. Rejects with a RinglabError of the trust, login or connection codes.
   */
  session(target: SshTarget, signal?: AbortSignal): Promise<SshSession>;
  /** Drops the connection to a node, e.g. when its address was edited. */
  drop(labId: string, nodeId: string): void;
  close(): Promise<void>;
}
