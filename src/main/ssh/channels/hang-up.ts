/** Ends a process on a node, even if the server does not forward signals. */
import { systemClock } from '../../base/clock.ts';
import { startProcess, type RemoteProcess } from './remote-process.ts';
import type { Shell } from './shell.ts';

/** Milliseconds for a server that forwards the signal. */
const byItselfMs = 300;
const giveUpAfterMs = 30_000;

/** Milliseconds until a process that has just started has reported its pid. */
const soonMs = 50;
const maxPidChecks = 6;

/** SIGTERM, and SIGKILL after two seconds. */
const killScript = (pid: number): string => `
kill -HUP -${pid} || exit 0
n=0
while [ $n -lt 20 ] && kill -0 -${pid}; do sleep 0.1 || sleep 1; n=$((n+1)); done
kill -KILL -${pid}
exit 0
`;

/**
 * Ends a process and its group. Returns at once and continues in the background. With MaxSessions 1 no second command
 * can be started: there it ends when the server forwards the signal, or when the process next reads or writes.
 */
export function hangUp(shell: Shell, process: RemoteProcess): void {
  const makeSure = async (): Promise<void> => {
    for (let attempt = 0; process.pid() === undefined && attempt < maxPidChecks; attempt += 1)
      await systemClock.sleep(soonMs);
    process.letGo();
    const hasEnded = process.ended.then((outcome) => outcome !== undefined);
    if (await Promise.race([hasEnded, systemClock.sleep(byItselfMs).then(() => false)])) return;
    const pid = process.pid();
    if (pid === undefined || !Number.isInteger(pid) || pid < 2) return;
    const killer = await shell.gate.open(() => startProcess(shell, killScript(pid)), {
      signal: AbortSignal.timeout(giveUpAfterMs),
    });
    killer.stdin.end();
    killer.stdout.resume();
    killer.stderr.resume();
    await killer.ended;
  };
  // Without a connection nothing can be ended, and no result is expected.
  makeSure().catch(() => undefined);
}
