/** Starts a kubeconfig's login program as kubectl does, and ends one that does not answer. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import type { Phrase } from '../../shared/base/phrase.ts';
import { phrase } from '../i18n/index.ts';
import type { LoginExec } from './exec-info.ts';

/** Milliseconds between asking a program to end and killing it. */
const graceMs = 2000;

function end(program: ChildProcess): void {
  program.kill('SIGTERM');
  const timer = setTimeout(() => program.kill('SIGKILL'), graceMs);
  program.once('exit', () => clearTimeout(timer));
  // What it has started itself may wait for input, or hold its output open.
  for (const stream of program.stdio) stream?.destroy();
}

/**
 * The official client starts the program and says nothing of its process, but starts it with a member that can be replaced.
 * @param config the client's `KubeConfig`
 * @param info of the variable in which kubectl describes the cluster
 * @returns ends what has been started since
 */
export function holdProgram(config: object, info?: string): () => void {
  const programs: ChildProcess[] = [];
  const start = (command: string, args: readonly string[] = [], options: SpawnOptions = {}): ChildProcess => {
    const given = info === undefined ? {} : { KUBERNETES_EXEC_INFO: info };
    const program = spawn(command, args, { ...options, env: { ...(options.env ?? process.env), ...given } });
    programs.push(program);
    return program;
  };
  const members: unknown = Reflect.get(config, 'authenticators');
  const authenticators: unknown[] = Array.isArray(members) ? members : [];
  for (const one of authenticators)
    if (typeof one === 'object' && one !== null && 'execFn' in one) one.execFn = start;
  return () => {
    for (const program of programs)
      if (program.exitCode === null && program.signalCode === null) end(program);
  };
}

/** Characters of what a kubeconfig says of its program. */
const longestHint = 500;

/** What to do where the program could not be started since it is not there. */
export function missingProgram(error: unknown, exec: LoginExec | undefined): Phrase | undefined {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  if (!isMissing || !('syscall' in error) || !String(error.syscall).startsWith('spawn')) return undefined;
  const program = exec?.command ?? '';
  const hint = exec?.installHint?.trim().slice(0, longestHint) ?? '';
  return hint === ''
    ? phrase('reasons.kubernetes.noProgram', { program })
    : phrase('reasons.kubernetes.noProgramHint', { program, hint });
}
