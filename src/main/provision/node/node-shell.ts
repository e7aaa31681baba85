/** A node's session for steps: logs every command and its output in the step's log. */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Line, Phrase } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';
import {
  lastWords,
  shellQuote,
  type ExecOptions,
  type ExecResult,
  type SshSession,
} from '../../ssh/index.ts';
import { through, type Lending } from './lending.ts';
import { uploadWords } from './planned-change.ts';
import type { Answer, Answers } from './questions.ts';
import type { StepStatus } from './readiness.ts';

export { lastWords };

export interface CommandOptions extends Omit<ExecOptions, 'signal' | 'onOutput'> {
  /** Shown in the log instead of the script: a shorter command, or a phrase that says what it does. */
  readonly label?: Line;
  /** The output is data and is not logged. */
  readonly quiet?: boolean;
  /** The command downloads: uses this computer's internet connection where the user lends it. */
  readonly online?: boolean;
  /** Not cancelled half-way: an incomplete installation is worse than a late stop. */
  readonly unstoppable?: boolean;
  readonly onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
}

export interface NodeShell {
  readonly session: SshSession;
  /** Aborted where the step is cancelled. */
  readonly signal: AbortSignal;
  /** Whether `online` commands go through this computer. */
  readonly lends: boolean;
  /** Lends the connection to the commands of `work`, where the user wants that; otherwise the address is undefined. */
  lent<T>(work: (address: string | undefined) => Promise<T>): Promise<T>;
  /** The script with this shell's prefix: enters the node's namespace where it has one. */
  within(script: string): string;
  /** Never throws for a non-zero exit. */
  exec(script: string, options?: CommandOptions): Promise<ExecResult>;
  /** Like exec, for read-only scripts: uses the answer of an earlier batch, and logs when that was asked. */
  ask(
    script: string,
    options?: CommandOptions,
  ): Promise<ExecResult & Partial<Pick<Answer, 'asked' | 'answered'>>>;
  /** Throws `command_failed` for a non-zero exit. Returns stdout. */
  run(script: string, options?: CommandOptions): Promise<string>;
  /** Writes content to a file; skipped where it is already the same. The step shows the progress. */
  upload(
    source: { path: string } | { bytes: Uint8Array },
    remotePath: string,
    options?: { mode?: number; quiet?: boolean },
  ): Promise<{ sent: number }>;
  download(remotePath: string, localPath: string): Promise<{ bytes: number }>;
}

/**
 * @param enter shell prefix that enters the node's namespace
 * @param lending where the user lends the node this computer's internet connection
 */
export function createNodeShell(
  session: SshSession,
  status: StepStatus,
  signal: AbortSignal,
  enter?: string,
  lending?: Lending,
  answers?: Answers,
): NodeShell {
  const { log } = status;
  const lent: NodeShell['lent'] = async (work) => {
    if (lending === undefined) return await work(undefined);
    const loan = await lending.open(session);
    log.add(phrase('stepLog.lent'));
    try {
      return await work(loan.address);
    } finally {
      for (const problem of loan.problems()) log.add(phrase('stepLog.lentProblem', { problem }));
      await loan.close();
    }
  };
  const within = (script: string): string =>
    enter === undefined ? script : `${enter} sh -c ${shellQuote(script)}`;
  const exec: NodeShell['exec'] = async (script, options = {}) => {
    const { label, quiet, unstoppable, online, onOutput, ...rest } = options;
    signal.throwIfAborted();
    if (online === true)
      return await lent((address) =>
        exec(through(address, script), { ...options, label: label ?? script, online: false }),
      );
    log.command(label ?? script);
    const result = await session.exec(within(script), {
      ...rest,
      ...(unstoppable === true ? {} : { signal }),
      onOutput(text, stream) {
        if (quiet !== true || stream === 'stderr') log.output(text, stream);
        onOutput?.(text, stream);
      },
    });
    log.flush();
    if (result.code !== 0) log.add(outcome(result));
    return result;
  };
  return {
    session,
    signal,
    lends: lending !== undefined,
    lent,
    within,
    exec,
    ask(script, options = {}) {
      const answer = answers?.take(script);
      if (answer === undefined) return exec(script, { brief: true, ...options });
      signal.throwIfAborted();
      log.command(options.label ?? script);
      if (options.quiet !== true) log.output(answer.stdout, 'stdout');
      log.flush();
      return Promise.resolve(answer);
    },
    async run(script, options) {
      const result = await exec(script, options);
      if (result.code === 0) return result.stdout;
      const command = options?.label ?? script.trim().split('\n')[0] ?? '';
      throw new RinglabError(
        'command_failed',
        { command, code: codeOf(result) },
        { where: session.target.nodeName, detail: lastWords(result) },
      );
    },
    async upload(source, remotePath, options = {}) {
      const name =
        'path' in source ? source.path : phrase('nodeCommands.bytes', { bytes: source.bytes.length });
      if (options.quiet !== true) log.add(uploadWords(name, remotePath));
      const result = await session.upload(source, remotePath, {
        ...(options.mode === undefined ? {} : { mode: options.mode }),
        signal,
        ...(options.quiet === true
          ? {}
          : { onProgress: ({ done, total }) => status.progress(done, total, 'bytes') }),
      });
      if (options.quiet !== true)
        log.add(result.sent === 0 ? phrase('stepLog.same') : phrase('stepLog.sent', { bytes: result.sent }));
      return result;
    },
    async download(remotePath, localPath) {
      log.add(phrase('nodeCommands.download', { path: remotePath }));
      const result = await session.download(remotePath, localPath, { signal });
      log.add(phrase('stepLog.received', { bytes: result.bytes }));
      return result;
    },
  };
}

/** For `command_failed`: the exit code, or the name of the signal. */
export const codeOf = ({ code, signal }: Pick<ExecResult, 'code' | 'signal'>): number | string =>
  code ?? signal ?? '?';

const outcome = ({ code, signal }: ExecResult): Phrase =>
  code !== null ? phrase('stepLog.exit', { code }) : phrase('stepLog.endedBy', { signal: signal ?? '?' });
