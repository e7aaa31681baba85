/** Reboots a node and waits until it answers with another boot id. */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { SshSession } from '../../ssh/index.ts';
import { pause, type Clock } from '../../base/clock.ts';
import type { NodeShell } from './node-shell.ts';
import type { NodeRights } from './rights.ts';
import type { StepStatus } from './readiness.ts';

export interface RebootOptions {
  readonly shell: NodeShell;
  readonly facts: NodeFacts;
  readonly rights: NodeRights;
  /** Returns at once, and reboots shortly after. */
  readonly command: string;
  readonly connect: () => Promise<SshSession>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly status: StepStatus;
}

/** Large servers test their memory for minutes before they boot. */
export const rebootMinutes = 15;
const askEveryMs = 5000;

const bootScript = 'cat /proc/sys/kernel/random/boot_id';

/**
 * The session to the node after its reboot.
 * @throws reboot_failed where no other boot answers within fifteen minutes
 */
export async function reboot(options: RebootOptions): Promise<SshSession> {
  const { shell, facts, clock, signal, status } = options;
  const before = (await shell.session.exec(bootScript, { signal })).stdout.trim();
  await options.rights.root(shell, facts, options.command, { timeoutMs: 30_000 });
  status.log.add(`waiting for the node to come back, at most ${rebootMinutes} minutes`);
  const until = clock.now() + rebootMinutes * 60_000;
  const began = clock.now();
  for (;;) {
    await pause(clock, askEveryMs, signal);
    status.progress(Math.round((clock.now() - began) / 1000), rebootMinutes * 60, 'steps');
    try {
      const session = await options.connect();
      const now = (await session.exec(bootScript, { signal, timeoutMs: 20_000 })).stdout.trim();
      if (now !== '' && now !== before) {
        status.log.add(`back after ${Math.round((clock.now() - began) / 1000)} s`);
        return session;
      }
    } catch (error) {
      signal.throwIfAborted();
      const code = error instanceof RinglabError ? error.code : 'internal';
      // A refused login will be refused again: the node is up, and something else is wrong.
      if (code === 'auth_failed' || code === 'host_key_changed') throw error;
    }
    if (clock.now() > until) throw new RinglabError('reboot_failed', { minutes: rebootMinutes });
  }
}
