import { expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { targetOf, testPool } from '../testing/pool.ts';
import { startSshd } from '../testing/sshd.ts';

it('keeps nothing open after its connections are closed: the process can exit', async () => {
  const sshd = await startSshd();
  let waiting = 0;
  const clock = {
    ...systemClock,
    sleep: async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
      waiting += 1;
      await systemClock.sleep(milliseconds, signal).finally(() => (waiting -= 1));
    },
  };
  const test = await testPool({ clock });
  const session = await test.pool.session(targetOf(sshd));
  expect((await session.exec('echo here')).stdout).toBe('here\n');
  await test.pool.close();
  await session.closed;
  expect(waiting).toBe(0);
  await test.close();
  await sshd.stop();
});
