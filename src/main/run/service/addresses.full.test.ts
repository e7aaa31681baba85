/**
 * Machines whose address in the network that they train in changes in mid-run, as with a new lease or a VPN that reconnects, with the
 * real trainer over Debian's sshd. SSH still works.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { Experiment } from '../../../shared/lab/lab.ts';
import type { Prompter } from '../../ssh/index.ts';
import { createMovingBench, noMoves, type MovingBench } from '../testing/moving-bench.ts';
import type { RunRecord } from '../../../shared/run/run.ts';

let moving: MovingBench;
afterEach(async () => {
  await moving.close();
});

const addressOf = ({ ranks }: RunRecord, rank: number): string => {
  const { argv = [] } = ranks[rank] ?? {};
  return argv[argv.indexOf('--address') + 1] ?? '';
};

/** Starts a run, and gives the machine of a rank another address in it. */
async function moved(
  onLostRank: Experiment['onLostRank'],
  rank: number,
  prompter?: Prompter,
): Promise<{ runId: string; before: string; now: string; name: string }> {
  moving = await createMovingBench(['anna', 'berta', 'carl'], {
    onLostRank,
    ...(prompter === undefined ? {} : { prompter }),
  });
  const { runId } = await moving.app.runs.start(moving.lab);
  await moving.until(runId, (run) => run.step >= 3);
  const machine = moving.machine(rank);
  const before = machine.trainingAddress();
  machine.moveTraining();
  return { runId, before, now: machine.trainingAddress(), name: machine.name };
}

const isSecond = (run: RunRecord): boolean => run.attempt === 2 && run.state === 'running';

/** All ranks train, and end when they are asked to. */
async function trainsOn(runId: string, from: number): Promise<void> {
  await moving.until(runId, (run) => run.step > from + 2);
  await moving.app.runs.stop(runId);
  const { ranks } = await moving.until(runId, 'stopped');
  expect(ranks.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
}

describe.skipIf(noMoves !== undefined)(
  `a machine that gets another address in the network of a run (${noMoves ?? 'root'})`,
  { timeout: 600_000 },
  () => {
    it.each([2, 0])(
      'rank %i, continue: the others go on, and it is taken in again with its new one',
      async (rank) => {
        const { runId, before, now } = await moved('continue', rank);
        const fewer = await moving.until(runId, (run) => run.memberships !== undefined);
        expect(fewer).toMatchObject({ state: 'running', attempt: 1 });
        expect(fewer.memberships).toMatchObject([{ lost: [rank] }]);
        expect(addressOf(fewer, rank)).toBe(before);
        const again = await moving.until(runId, isSecond);
        expect(again.memberships).toBeUndefined();
        expect(addressOf(again, rank)).toBe(now);
        expect(again.step).toBeGreaterThanOrEqual(fewer.step);
        await trainsOn(runId, again.step);
      },
    );

    it('with its SSH address, continue: it is taken in again once the user has drawn where it is', async () => {
      const { runId, now } = await moved('continue', 2, { ask: () => Promise.resolve({ kind: 'accept' }) });
      const machine = moving.machine(2);
      machine.moveSsh();
      await moving.until(runId, (run) => run.memberships !== undefined && run.unreachable.m2 !== undefined);
      const { access } = machine.node(machine.sshAddress());
      moving.drawn.nodes = moving.drawn.nodes.map((node) => (node.id === 'm2' ? { ...node, access } : node));
      moving.app.events.emit('lab.changed', { labId: moving.lab.id, revision: 2, summary: null });
      const again = await moving.until(runId, isSecond);
      expect(addressOf(again, 2)).toBe(now);
      await trainsOn(runId, again.step);
    });

    it.each([2, 0])('rank %i, restart: all start again with its new one', async (rank) => {
      const { runId, before, now, name } = await moved('restart', rank);
      // The app that finds it may be another than the one that started the run.
      if (rank === 0) await moving.restart();
      const again = await moving.until(runId, isSecond);
      expect(addressOf(again, rank)).toBe(now);
      expect(again.recovery?.restarts).toMatchObject([
        { attempt: 1, error: { code: 'address_changed', where: name, params: { node: name, before } } },
      ]);
      expect(again.recovery?.rejoins).toBeUndefined();
      await trainsOn(runId, again.step);
    });

    it.each([2, 0])('rank %i, stop: the run ends and says so, and resumes with its new one', async (rank) => {
      const { runId, before, now, name } = await moved('stop', rank);
      const failed = await moving.until(runId, 'failed');
      expect(failed.error).toMatchObject({
        code: 'address_changed',
        where: name,
        params: { node: name, before },
      });
      expect(String(failed.error?.params.now).split(', ')).toContain(now);
      await moving.app.runs.resume(runId);
      const again = await moving.until(runId, isSecond);
      expect(addressOf(again, rank)).toBe(now);
      await trainsOn(runId, again.step);
    });
  },
);
