/** Reboots a node and waits until it answers with another boot id. */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { SshSession } from '../../ssh/index.ts';
import { pause, type Clock } from '../../base/clock.ts';
import type { NodeShell } from './node-shell.ts';
import type { NodeRights } from './rights.ts';
import type { StepStatus } from './readiness.ts';
import { phrase } from '../../i18n/index.ts';

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
  status.log.add(phrase('stepLog.rebooting', { minutes: rebootMinutes }));
  const began = clock.ticks();
  for (;;) {
    await pause(clock, askEveryMs, signal);
    status.progress(Math.round((clock.ticks() - began) / 1000), rebootMinutes * 60, 'steps');
    try {
      const session = await options.connect();
      const now = (await session.exec(bootScript, { signal, timeoutMs: 20_000 })).stdout.trim();
      if (now !== '' && now !== before) {
        status.log.add(phrase('stepLog.rebooted', { seconds: Math.round((clock.ticks() - began) / 1000) }));
        return session;
      }
    } catch (error) {
      signal.throwIfAborted();
      const code = error instanceof RinglabError ? error.code : 'internal';
      // A refused login will be refused again: the node is up, and something else is wrong.
      if (code === 'auth_failed' || code === 'host_key_changed') throw error;
    }
    if (clock.ticks() - began > rebootMinutes * 60_000)
      throw new RinglabError('reboot_failed', { minutes: rebootMinutes });
  }
}
