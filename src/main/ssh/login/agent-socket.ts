/** Where the user's SSH agent listens. */
import { stat } from 'node:fs/promises';

/** Of the agent that Windows brings, which sets no variable. */
export const windowsAgent = String.raw`\\.\pipe\openssh-ssh-agent`;

interface Computer {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

export function agentSocket({ env, platform }: Computer = process): string | undefined {
  const { SSH_AUTH_SOCK: named } = env;
  if (named !== undefined && named !== '') return named;
  return platform === 'win32' ? windowsAgent : undefined;
}

/** A pipe that is there but busy is not absent. */
const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: unknown) => !(error instanceof Error && 'code' in error && error.code === 'ENOENT'),
  );

/** The same; undefined where Windows' agent does not run. @param exists for tests */
export async function runningAgent(
  computer: Computer = process,
  exists: (path: string) => Promise<boolean> = isThere,
): Promise<string | undefined> {
  const socket = agentSocket(computer);
  return socket === windowsAgent && !(await exists(socket)) ? undefined : socket;
}
