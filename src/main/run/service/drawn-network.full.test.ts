/** Tests the real trainer over emulated links: ranks get the drawn bandwidth. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { AnyEvent } from '../../../shared/contract/api.ts';
import type { LabLink } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';

const canRun = trainerIsBuilt && process.platform === 'linux' && process.getuid?.() === 0;
const why = canRun ? 'root' : 'skipped: needs the trainer, Linux and root';

let bench: RealBench;
const seen: AnyEvent[] = [];
afterEach(async () => {
  await bench.close();
  seen.length = 0;
});
/** A step of the small model takes about a second at this rate. */
const drawnMbps = 40;
/** N1–N2–N3. */
async function open(epochs: number): Promise<void> {
  bench = await createRealBench({ architecture: 'resnet18', epochs, train: 42, batchSize: 21 });
  const { lab } = bench;
  lab.links = [
    ['a', 'b'],
    ['b', 'c'],
  ].map(([from = '', to = '']) => ({
    id: `${from}${to}`,
    ends: [from, to],
    bandwidthMbps: drawnMbps,
    delayMs: 0,
    lossPercent: 0,
  }));
  lab.experiment = {
    ...lab.experiment,
    architecture: 'squeezenet1_1',
    data: { type: 'shapes', train: 42, validation: 21, size: 32, seed: 1 },
  };
  bench.app.events.subscribe((event) => seen.push(event));
}
const namespaceOf = (run: RunRecord, rank: number): string =>
  /netns\/(\S+)/.exec(run.ranks[rank]?.enter ?? '')?.[1] ?? 'none';
/** Bytes that a device has sent, from the kernel's table inside the namespace. */
const sent = async (run: RunRecord, rank: number, device: string): Promise<number> => {
  const text = readFileSync(`/proc/${await bench.process(run.id, rank)}/net/dev`, 'utf8');
  return Number(new RegExp(`${device}:\\s*(?:\\d+\\s+){8}(\\d+)`).exec(text)?.[1]);
};

describe.skipIf(!canRun)(`an emulated network (${why})`, () => {
  it('carries the training of N1–N2–N3 at the drawn rate, and is removed when the app exits', async () => {
    await open(8);
    const { runId } = await bench.app.runs.start(bench.lab);
    const started = await bench.until(runId, 'running', 90);
    expect(started.master?.host).toBe('10.0.0.1');
    expect(started.ranks.map(({ argv }) => argv[argv.indexOf('--address') + 1])).toEqual([
      '10.0.0.1',
      '10.0.0.2',
      '10.0.0.3',
    ]);
    await bench.until(runId, (run) => run.step >= 1, 90);
    const [before, from] = [await sent(started, 1, 'rl2'), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const megabits = (((await sent(started, 1, 'rl2')) - before) * 8) / ((performance.now() - from) * 1000);
    expect(megabits).toBeGreaterThan(0.1 * drawnMbps);
    expect(megabits).toBeLessThan(1.03 * drawnMbps);
    const run = await bench.until(runId, 'finished', 120);
    expect(run.epochsCompleted).toBe(8);
    const reported = seen.filter((event) => event.name === 'net.traffic').flatMap(({ data }) => data.links);
    expect(Math.max(...reported.map(({ forward }) => forward))).toBeGreaterThan(0.6e6 * drawnMbps);
    expect(Math.max(...reported.map(({ forward }) => forward))).toBeLessThan(1.1e6 * drawnMbps);
    const { paths } = await bench.app.networks.state(bench.lab);
    expect(paths.map(({ from: a, to, linkIds }) => [a, to, linkIds])).toEqual([
      ['b', 'a', ['ab']],
      ['c', 'a', ['bc', 'ab']],
      ['c', 'b', ['bc']],
    ]);
    for (const { drawnMbps, measuredMbps } of paths) {
      expect(measuredMbps).toBeGreaterThan(0.8 * drawnMbps);
      expect(measuredMbps).toBeLessThan(1.1 * drawnMbps);
    }
    const namespace = namespaceOf(started, 0);
    expect(execFileSync('ip', ['netns', 'list']).toString()).toContain(namespace);
    await bench.app.close();
    expect(execFileSync('ip', ['netns', 'list']).toString()).not.toContain(namespace);
    await bench.restart();
  }, 240_000);

  it('stops the run if a link goes down, and names the link; after a resume the run finishes', async () => {
    await open(4);
    bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'stop' };
    const { runId } = await bench.app.runs.start(bench.lab);
    await bench.until(runId, (run) => run.epochsCompleted >= 1, 120);
    await bench.app.networks.setDown(bench.lab.id, 'bc', true);
    const cutAt = performance.now();
    const run = await bench.until(runId, (now) => now.state === 'failed' || now.error !== undefined, 30);
    expect(run.error).toMatchObject({ code: 'link_down', params: { link: 'Node b–Node c' } });
    expect(performance.now() - cutAt).toBeLessThan(10_000);
    await expect
      .poll(() => bench.app.runs.get(runId).then(({ state }) => state), { timeout: 30_000 })
      .toBe('failed');
    await bench.app.networks.setDown(bench.lab.id, 'bc', false);
    await expect
      .poll(
        () =>
          bench.app.runs.resume(runId).then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
    await bench.until(runId, 'finished', 150);
  }, 360_000);

  it('waits for the link if the experiment says so, even across an exit of the app', async () => {
    await open(12);
    bench.lab.experiment = { ...bench.lab.experiment, onLinkDown: 'wait' };
    const { runId } = await bench.app.runs.start(bench.lab);
    const started = await bench.until(runId, (run) => run.step >= 1, 120);
    await bench.restart();
    bench.app.events.subscribe((event) => seen.push(event));
    seen.length = 0;
    const end = namespaceOf(started, 2);
    execFileSync('ip', ['-n', end, 'link', 'set', 'rl2', 'down']);
    const isDown = (): string =>
      seen
        .flatMap((event) => (event.name === 'net.changed' ? event.data.state.links : []))
        .findLast(({ down }) => down)?.linkId ?? '';
    await expect.poll(isDown, { timeout: 3000, interval: 50 }).toBe('bc');
    await new Promise((resolve) => setTimeout(resolve, 5000));
    expect((await bench.app.runs.get(runId)).state).toBe('running');
    execFileSync('ip', ['-n', end, 'link', 'set', 'rl2', 'up']);
    await bench.until(runId, 'finished', 180);
  }, 360_000);

  it('goes on without a node whose link is down, and takes it in again by itself once the link is up', async () => {
    await open(60);
    bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'continue' };
    const { runId } = await bench.app.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 2, 120);
    await bench.app.networks.setDown(bench.lab.id, 'bc', true);
    const fewer = await bench.until(runId, (run) => run.memberships !== undefined, 60);
    expect(fewer.memberships).toMatchObject([{ ranks: [0, 1], lost: [2] }]);
    // The node itself answers meanwhile, and its rank has ended.
    const alone = await bench.until(runId, (run) => run.ranks[2]?.state === 'failed', 60);
    expect(alone).toMatchObject({ state: 'running', attempt: 1 });
    await expect(bench.app.runs.rejoin(runId)).rejects.toMatchObject({ code: 'link_down' });
    await bench.until(runId, (run) => run.step > alone.step + 2, 60);
    expect((await bench.app.runs.get(runId)).attempt).toBe(1);
    await bench.app.networks.setDown(bench.lab.id, 'bc', false);
    const again = await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running', 120);
    await bench.until(runId, (run) => run.step > again.step + 2, 60);
    await bench.app.runs.stop(runId);
    const run = await bench.until(runId, 'stopped', 60);
    expect(run.ranks.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
  }, 360_000);

  it('puts another node in the place of one whose cable was pulled, into the network as it is drawn then', async () => {
    await open(400);
    const { lab } = bench;
    lab.experiment = { ...lab.experiment, onLostRank: 'continue', restartsPerHour: 1 };
    const { runId } = await bench.app.runs.start(lab);
    await bench.until(runId, (run) => run.step >= 2, 90);
    await bench.app.networks.setDown(lab.id, 'bc', true);
    const alone = await bench.until(runId, (run) => run.ranks[2]?.state === 'failed', 60);
    const [first, , third] = lab.nodes;
    if (first === undefined || third === undefined) throw new Error('no nodes');
    const drawn = {
      ...lab,
      nodes: [...lab.nodes, { ...third, id: 'd', name: 'Node d' }],
      links: [...lab.links, { ...lab.links[0], id: 'ad', ends: [first.id, 'd'] } as LabLink],
    };
    await bench.app.runs.rejoin(runId, [{ nodeId: third.id, by: 'd' }], drawn);
    const again = await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running', 120);
    expect(again.ranks.map(({ nodeId }) => nodeId)).toEqual(['a', 'b', 'd']);
    expect(again.lab.links.map(({ id }) => id)).toEqual(['ab', 'ad']);
    await bench.until(runId, (run) => run.step > Math.max(again.step, alone.step) + 2, 60);
    await bench.app.runs.stop(runId);
    const run = await bench.until(runId, 'stopped', 60);
    expect(run.ranks.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
  }, 360_000);
});
