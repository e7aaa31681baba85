/**
 * A machine whose address towards this computer changes in mid-run, and this computer's own address: the run is followed again, with
 * the real trainer over Debian's sshd. Open connections are not closed by that, they only get no answers.
 */
import dns from 'node:dns';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { Question } from '../../../shared/contract/prompts.ts';
import { createMovingBench, noMoves, type MovingBench } from '../testing/moving-bench.ts';
import type { MovingMachine } from '../testing/moving-machines.ts';

let moving: MovingBench;
afterEach(async () => {
  await moving.close();
  vi.restoreAllMocks();
});

/** Names as the system's resolver would know them; all others as ever. */
function resolving(names: ReadonlyMap<string, () => string>): void {
  const real = dns.lookup;
  vi.spyOn(dns, 'lookup').mockImplementation(((host: string, options: dns.LookupAllOptions, done: Answer) => {
    const address = names.get(host)?.();
    if (address === undefined) real(host, options, done);
    else process.nextTick(done, null, [{ address, family: 4 }]);
  }) as typeof dns.lookup);
}
type Answer = (error: NodeJS.ErrnoException | null, found: dns.LookupAddress[]) => void;

async function begin(): Promise<string> {
  const { runId } = await moving.app.runs.start(moving.lab);
  await moving.until(runId, (run) => run.step >= 3);
  return runId;
}

/** Both nodes are followed: each rank gets the signal, and its end is read. */
async function stops(runId: string): Promise<void> {
  await moving.app.runs.stop(runId);
  const { ranks, error } = await moving.until(runId, 'stopped');
  expect(ranks.map(({ state, exit }) => [state, exit?.code])).toEqual([
    ['stopped', 7],
    ['stopped', 7],
  ]);
  expect(error).toBeUndefined();
}

/** Draws the second node with the address of a machine as it is now, as the window saves it. */
function draw(machine: MovingMachine): void {
  const { access } = machine.node(machine.sshAddress());
  const { nodes } = moving.drawn;
  moving.drawn = { ...moving.drawn, nodes: nodes.map((node, at) => (at === 1 ? { ...node, access } : node)) };
  moving.app.events.emit('lab.changed', { labId: moving.lab.id, revision: 2, summary: null });
}
const hostOf = (lab: LabDocument, index: number): string | undefined => {
  const access = lab.nodes[index]?.access;
  return access?.type === 'ssh' ? access.host : undefined;
};

describe.skipIf(noMoves !== undefined)(
  `an SSH address that changes in mid-run (${noMoves ?? 'root'})`,
  { timeout: 600_000 },
  () => {
    it('is resolved anew where the node is drawn with a name', async () => {
      const names = new Map<string, () => string>();
      moving = await createMovingBench(['anna', 'berta'], {
        host: (machine) => {
          names.set(`${machine.name}.test`, () => machine.sshAddress());
          return `${machine.name}.test`;
        },
      });
      resolving(names);
      const runId = await begin();
      moving.machine(1).moveSsh();
      await moving.until(runId, (run) => run.unreachable.m1 !== undefined);
      const { step } = await moving.until(runId, (run) => run.unreachable.m1 === undefined);
      await moving.until(runId, (run) => run.step > step + 2);
      await stops(runId);
    });

    it('is that of the drawing where the user edits it: asked about as a new host, and never another machine’s', async () => {
      const asked: Question[] = [];
      moving = await createMovingBench(['anna', 'berta', 'carl'], {
        prompter: {
          ask(question) {
            asked.push(question);
            return Promise.resolve({ kind: 'accept' });
          },
        },
      });
      // Carl is no part of the run.
      moving.lab.nodes.pop();
      moving.drawn.nodes.pop();
      const runId = await begin();
      const berta = moving.machine(1);
      const before = berta.sshAddress();
      berta.moveSsh();
      await moving.until(runId, (run) => run.unreachable.m1 !== undefined);
      expect(asked).toEqual([]);

      // It has the files of the run, as with a shared home, but neither Berta's boot nor her host key.
      draw(moving.machine(2));
      await expect.poll(() => moving.app.problems.join(), { timeout: 120_000 }).toContain('other_machine');
      const other = await moving.app.runs.get(runId);
      expect(other.unreachable.m1).toBeDefined();
      expect(hostOf(other.lab, 1)).toBe(before);

      draw(berta);
      const found = await moving.until(runId, (run) => run.unreachable.m1 === undefined);
      expect(hostOf(found.lab, 1)).toBe(berta.sshAddress());
      expect(asked).toMatchObject([{ kind: 'host-key', host: berta.sshAddress() }]);
      await moving.until(runId, (run) => run.step > found.step + 2);
      // So it is after a restart of the app.
      await moving.restart();
      await stops(runId);
      // A resume finds a node that was edited after the run had ended, too.
      berta.moveSsh();
      draw(berta);
      await moving.app.runs.resume(runId);
      const again = await moving.until(runId, ({ attempt, state }) => attempt === 2 && state === 'running');
      expect(hostOf(again.lab, 1)).toBe(berta.sshAddress());
      await stops(runId);
    });

    it('of this computer breaks the connections, which are made again', async () => {
      moving = await createMovingBench(['anna', 'berta'], {});
      const runId = await begin();
      moving.machine(0).moveThisComputer();
      moving.machine(1).moveThisComputer();
      await moving.until(runId, (run) => Object.keys(run.unreachable).length > 0);
      const { step } = await moving.until(runId, (run) => Object.keys(run.unreachable).length === 0);
      await moving.until(runId, (run) => run.step > step + 2);
      await stops(runId);
    });
  },
);
