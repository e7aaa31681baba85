/** Ending what runs on a node, whether its server passes signals on or not. */
import { systemClock } from '../../base/clock.ts';
import { startProcess, type RemoteProcess } from './remote-process.ts';
import type { Shell } from './shell.ts';

/** For a server that does as it is asked. */
const byItselfMs = 300;
const giveUpAfterMs = 30_000;

/** For the number of a process that has begun just now. */
const soonMs = 50;
const soonTries = 6;

/** Two seconds to go by itself, then none. */
const killScript = (pid: number): string => `
kill -HUP -${pid} || exit 0
n=0
while [ $n -lt 20 ] && kill -0 -${pid}; do sleep 0.1 || sleep 1; n=$((n+1)); done
kill -KILL -${pid}
exit 0
`;

/**
 * Hangs up on a process and all it started in its group. Returns at once; goes on behind. With MaxSessions 1 no second
 * command can be started beside it: there it ends when the server passes the signal on, or when it next reads or writes.
 */
export function hangUp(shell: Shell, process: RemoteProcess): void {
  const makeSure = async (): Promise<void> => {
    for (let tries = 0; process.pid() === undefined && tries < soonTries; tries += 1)
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
  // Where the connection is gone nothing can be ended any more, and nobody is there to be notified.
  makeSure().catch(() => undefined);
}
