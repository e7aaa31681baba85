/**
 * Keeps a shell open on one channel for short commands, to save channels (MaxSessions), log entries on the node,
 * processes and round trips. Each script runs in its own subshell, between two markers on both streams. Commands that
 * find the shell busy get their own channel.
 */
import { randomBytes } from 'node:crypto';
import { RinglabError } from '../../../shared/base/errors.ts';
import { guardConnection } from '../connection/connection-guard.ts';
import type { ExecOptions, ExecResult } from '../contract.ts';
import { createTail, hasStarted, limited, printsWithoutEnd, stillSilent, type Tail } from './exec.ts';
import { FrameReader } from './frame-reader.ts';
import { hangUp } from './hang-up.ts';
import { startProcess, type RemoteProcess } from './remote-process.ts';
import type { Shell } from './shell.ts';
import { phrase } from '../../i18n/index.ts';

/** Milliseconds after which an idle shell is closed. */
const idleMs = 20_000;
/** A login shell that has started nothing by then may be a program that waits for end of input. */
const patienceMs = 3000;
/** Maximum number of bytes outside of frames: background processes may print a few, more is invalid. */
const maxStrayBytes = 256 * 1024;

/** `read` is a builtin: it consumes no byte beyond the line. */
const loop = `N=$(printf '\\nx');N=\${N%x};while IFS= read -r H;do eval "$H";done`;

/** One line that reads the script's lines and runs them; it contains their number. */
function request(marker: string, script: string): string {
  const lines = script.split('\n');
  return (
    `S=;I=0;while [ $I -lt ${lines.length} ];do IFS= read -r L||exit;S=$S$L$N;I=$((I+1));done;` +
    `printf '%s:' ${marker};printf '%s:' ${marker} >&2;` +
    `(unset H L I N;eval "unset S;$S") </dev/null;` +
    `I=$?;printf '%s;%s;' ${marker} $I;printf '%s;%s;' ${marker} $I >&2\n${lines.join('\n')}\n`
  );
}

interface Worker {
  readonly process: RemoteProcess;
  readonly stdout: FrameReader;
  readonly stderr: FrameReader;
  /** Its process group may contain processes that must survive: it is never hung up on. */
  isParent: boolean;
  /** Undefined while it is busy. */
  idle: NodeJS.Timeout | undefined;
  isOver: boolean;
}

/** The shell ended before the script started: it may be run again. */
class NotStarted extends Error {}

export interface CommandShell {
  /** Same as `exec` of exec.ts, for `brief` commands. */
  exec(script: string, options: ExecOptions): Promise<ExecResult>;
}

export function createCommandShell(
  shell: Shell,
  onOwnChannel: (script: string, options: ExecOptions) => Promise<ExecResult>,
): CommandShell {
  let worker: Worker | undefined;
  let opening = false;

  const retire = (gone: Worker): void => {
    clearTimeout(gone.idle);
    gone.idle = undefined;
    gone.isOver = true;
    if (worker === gone) worker = undefined;
    gone.process.stdin.end();
  };
  const open = async (signal: AbortSignal | undefined): Promise<Worker> => {
    const process = await shell.gate.open(() => startProcess(shell, loop), { signal });
    const opened: Worker = {
      process,
      stdout: new FrameReader(),
      stderr: new FrameReader(),
      isParent: false,
      idle: undefined,
      isOver: false,
    };
    for (const name of ['stdout', 'stderr'] as const) {
      process[name].on('data', (chunk: Buffer) => {
        opened[name].push(chunk);
        if (opened[name].strayBytes > maxStrayBytes) {
          guardConnection(shell.client).distrust(phrase('reasons.node.prints'));
          end(opened);
        }
      });
      process[name].on('error', () => undefined);
    }
    // The script has been sent: a slow login shell will still run it.
    const patience = setTimeout(() => {
      if (process.started()) return;
      if (worker === opened) worker = undefined;
      process.stdin.end();
    }, patienceMs);
    patience.unref();
    void process.ended.then(() => {
      clearTimeout(patience);
      retire(opened);
      opened.stdout.end();
      opened.stderr.end();
    });
    return opened;
  };
  /** Ends it and what runs in it, except processes that must survive. */
  const end = (gone: Worker): void => {
    if (gone.isOver) return;
    retire(gone);
    if (gone.isParent) gone.process.abandon();
    else hangUp(shell, gone.process);
  };
  const rest = (free: Worker): void => {
    if (shell.gate.isWaitedFor()) {
      retire(free);
      return;
    }
    free.idle = setTimeout(() => retire(free), idleMs);
    free.idle.unref();
  };
  // Something waits for a channel: close an idle shell.
  shell.gate.onWaiting(() => {
    if (worker?.idle !== undefined) retire(worker);
  });

  const take = async (signal: AbortSignal | undefined): Promise<Worker | undefined> => {
    if (worker?.idle !== undefined) {
      clearTimeout(worker.idle);
      worker.idle = undefined;
      return worker;
    }
    if (worker !== undefined || opening) return undefined;
    opening = true;
    try {
      worker = await open(signal);
      return worker;
    } finally {
      opening = false;
    }
  };

  const runIn = async (busy: Worker, script: string, options: ExecOptions): Promise<ExecResult> => {
    const { process } = busy;
    const marker = `RINGLAB-${randomBytes(12).toString('hex')}`;
    if (options.leavesProcesses === true) busy.isParent = true;
    const collected = (['stdout', 'stderr'] as const).map((name) => {
      const tail = createTail(options.maxOutputBytes);
      const decoder = new TextDecoder();
      const status = busy[name].frame(marker, (chunk) => {
        if (!tail.push(chunk)) {
          printsWithoutEnd(shell, script);
          return;
        }
        const text = options.onOutput === undefined ? '' : decoder.decode(chunk, { stream: true });
        if (text !== '') options.onOutput?.(text, name);
      });
      return { tail, status };
    });
    process.stdin.write(request(marker, script));
    const statuses = await Promise.all(collected.map(({ status }) => status));
    const [stdout, stderr] = collected.map(({ tail }) => tail) as [Tail, Tail]; // One for each name above.
    const output = { stdout: stdout.text(), stderr: stderr.text() };
    const code = statuses[0];
    if (typeof code === 'number') {
      hasStarted(shell);
      return { code, signal: null, ...output };
    }
    end(busy);
    const ended = await process.ended;
    if (process.isEndless()) throw new NotStarted();
    if (ended === undefined) throw new RinglabError('connection_lost', { host: shell.host });
    if (code === 'not started') throw new NotStarted();
    return { ...ended, ...output };
  };

  return {
    async exec(script, options) {
      const taken = await take(options.signal);
      if (taken === undefined) return await onOwnChannel(script, options);
      try {
        const result = await limited(
          runIn(taken, script, options),
          options,
          script,
          () => end(taken),
          (waitedMs) => stillSilent(shell, taken.process, waitedMs),
        );
        if (worker === taken) rest(taken);
        return result;
      } catch (error) {
        end(taken);
        if (error instanceof NotStarted) return await onOwnChannel(script, options);
        throw error;
      }
    },
  };
}
