/** Ends a kubeconfig's login program that does not answer. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

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
 * @returns ends what has been started since
 */
export function holdProgram(config: object): () => void {
  const programs: ChildProcess[] = [];
  const start = (command: string, args: readonly string[] = [], options: SpawnOptions = {}): ChildProcess => {
    const program = spawn(command, args, options);
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
