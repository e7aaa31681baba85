/**
 * Attack: a client of the port on which a node's `probe` listens during the network step gets nothing without its
 * secret.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connect, listen } from '../provision/network/listener.ts';
import { createNodeShell, type NodeShell } from '../provision/node/node-shell.ts';
import { StepStatus } from '../provision/node/readiness.ts';
import { trainerBinary } from '../provision/testing/bench.ts';
import { freePort } from '../ssh/testing/free-port.ts';
import { createLocalShell } from '../ssh/testing/local-shell.ts';
import { linesIn } from '../../shared/base/phrase.ts';

let folder = '';
let shell: NodeShell;
let status: StepStatus;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-probe-port-'));
  status = new StepStatus(
    'network',
    () => undefined,
    () => undefined,
  );
  shell = createNodeShell(createLocalShell({ home: folder }), status, new AbortController().signal);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Arguments and environments of all processes that have a word in their arguments. */
const processesWith = (word: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes(word) ? [`${command}\n${readFileSync(`/proc/${pid}/environ`, 'utf8')}`] : [];
      } catch {
        return []; // ended meanwhile
      }
    });

it('a measurement needs the listener’s secret, which is in no process list, file or log', async () => {
  const command = { trainer: trainerBinary, environment: { TMPDIR: folder } };
  const port = await freePort();
  const listener = await listen(shell, { ...command }, ['127.0.0.1'], port);
  if (listener === undefined) throw new Error('the port is in use');
  try {
    const { secret } = listener;
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const processes = processesWith(`127.0.0.1:${port}`);
    expect(processes.length).toBeGreaterThanOrEqual(2);
    for (const one of processes) expect(one).not.toContain(secret);
    expect(await connect(shell, command, '127.0.0.1', port, '')).toBeUndefined();
    expect(await connect(shell, command, '127.0.0.1', port, 'f'.repeat(64))).toBeUndefined();
    // Those two did not end it, and one measurement does not either.
    for (let time = 0; time < 2; time += 1)
      expect((await connect(shell, command, '127.0.0.1', port, secret))?.rtt_ms).toBeGreaterThan(0);
    const log = linesIn(status.log.lines, 'en');
    expect(log).toContain(`probe --connect 127.0.0.1:${port}`);
    expect(log).toContain('the other side has another secret');
    expect(log).not.toContain(secret);
  } finally {
    await listener.stop();
  }
  const other = await listen(shell, command, ['127.0.0.1'], port);
  expect(other?.secret).not.toBe(listener.secret);
  await other?.stop();
  expect(processesWith(`127.0.0.1:${port}`)).toEqual([]);
});
