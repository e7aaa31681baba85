/**
 * Fault 41, the whole app: hostile nodes in labs of their own while a good lab trains. The app's memory stays small,
 * it keeps answering, the good run finishes, and each hostile node fails alone with a reason.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LabNode } from '../../shared/lab/lab.ts';
import { killBelow } from '../run/testing/bench.ts';
import { trainerIsBuilt } from '../run/testing/real-services.ts';
import { cpuNode, startApp, type AppProcess } from './hostile-node/app-client.ts';
import { endless, startHostileNode, type HostileManner, type HostileNode } from './hostile-node/server.ts';

const maxMemory = 500 * 1024 * 1024;

let folder: string;
let app: AppProcess;
const nodes: HostileNode[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-attack-'));
  app = await startApp(folder);
}, 60_000);
afterAll(async () => {
  await app.close();
  await Promise.all(nodes.map((node) => node.stop()));
  await killBelow(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}, 60_000);

const isFacts = (script: string): boolean => script.includes('say time');

/** Answers the facts, wherever they stand among other questions, with something else. */
const factsAre =
  (change: (text: string) => string): NonNullable<HostileManner['command']> =>
  (call) => {
    if (!isFacts(call.script)) return false;
    call.obey(change);
    return true;
  };

type Call = Parameters<NonNullable<HostileManner['command']>>[0];

let lastSeq = 0;
/** Lines as a trainer never writes them: 250 kB of escape sequences, nesting, fields and numbers. */
function badLines(): string {
  lastSeq += 3;
  const head = (seq: number): string =>
    `{"v":1,"seq":${seq},"t":1700000000,"kind":"step","rank":77,"step":9007199254740991,"loss":"NaN"`;
  return [
    `${head(lastSeq)},"x":"${'\\u001b]0;x'.repeat(6000)}"}`,
    `${head(lastSeq + 1)},"x":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    `${head(lastSeq + 2)},${Array.from({ length: 5000 }, (_, n) => `"f${lastSeq + n}":${n}`).join(',')}}`,
    '{"v":1,"seq":9007199254740991,"t":1e300,"kind":"step"}',
    '{}',
    'not JSON \u0000\u001b[2J',
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** Lines that come by themselves, as fast as the connection takes them. */
function streamWithoutEnd(call: Call): true {
  const lines = badLines().split('\n');
  call.begin();
  endless(call.channel, Buffer.from(lines.map((line) => `0 ${Buffer.byteLength(line)} ${line}\n`).join('')));
  return true;
}

/** A file of metrics that always has more than was read of it. */
function fileWithoutEnd(call: Call): true {
  call.begin();
  for (const [, key = '', offset = '', limit = ''] of call.script.matchAll(
    /emit (\S+) "\$size" "\$name" (\d+) (\d+)/g,
  )) {
    if (key !== '0') continue;
    // The first are the worst; then as many bytes as are asked for.
    const worst = Number(offset) < 3_000_000 ? badLines() : '';
    const bytes = Buffer.from(worst.padEnd(Number(limit) - 1, `${'A'.repeat(1000)}\n`)).subarray(
      0,
      Number(limit),
    );
    bytes[bytes.length - 1] = 10;
    call.channel.write(`file 0 ${Number(offset) + 10_000_000}\n${bytes.toString('base64')}\n.\n`);
  }
  call.channel.write('end\n');
  call.end();
  return true;
}

const manners: Readonly<Record<string, { manner: HostileManner; codes: readonly string[] }>> = {
  endless: {
    manner: {
      command(call) {
        call.begin();
        endless(call.channel, Buffer.alloc(30_000, 'A\u001b[2J\n'));
        return true;
      },
    },
    codes: ['node_nonsense'],
  },
  liar: {
    manner: { command: factsAre((text) => text.replace(/^cpus=.*$/m, 'cpus=999999999999')) },
    codes: ['node_nonsense'],
  },
  huge: {
    manner: {
      command: factsAre((text) => text.replace(/^hostname=.*$/m, `hostname=${'h'.repeat(900_000)}`)),
    },
    codes: ['node_nonsense', 'command_failed'],
  },
  binary: {
    manner: { command: factsAre((text) => text.replace(/[a-z]/g, '\u0000')) },
    codes: ['facts_unreadable'],
  },
  silent: {
    manner: {
      command(call) {
        call.channel.end();
        call.channel.close();
        return true;
      },
    },
    codes: ['connection_lost', 'node_nonsense', 'command_failed'],
  },
  packets: { manner: { packetSize: 0 }, codes: ['node_nonsense'] },
  trains: {
    manner: {
      command(call) {
        if (call.script.includes('follow() {')) return streamWithoutEnd(call);
        return call.script.startsWith('emit() {') ? fileWithoutEnd(call) : false;
      },
    },
    codes: ['node_nonsense'],
  },
};

const accessTo = ({ port }: HostileNode): LabNode['access'] => ({
  type: 'ssh',
  host: '127.0.0.1',
  port,
  user: 'mallory',
  authentication: { method: 'password' },
});

describe.skipIf(!trainerIsBuilt)('fault 41: hostile nodes beside a good run', () => {
  it('fail alone, each with its reason; the good run finishes, and the app stays small and responsive', async () => {
    const good = await app.makeLab(
      'Good',
      [cpuNode('a', { type: 'local' }), cpuNode('b', { type: 'local' })],
      3,
    );
    const { runId: goodRun } = await app.call('run.start', { labId: good.id });

    const hostile = await Promise.all(
      Object.entries(manners).map(async ([name, { manner, codes }]) => {
        const node = await startHostileNode(manner, name);
        nodes.push(node);
        const lab = await app.makeLab(name, [cpuNode(name, accessTo(node))], 50);
        const { runId } = await app.call('run.start', { labId: lab.id });
        return { name, runId, codes };
      }),
    );

    let answered = 0;
    let over = false;
    const asking = (async () => {
      while (!over) {
        await sleep(20);
        await app.call('run.list', {});
        answered += 1;
      }
    })();
    const ends = await Promise.all(
      hostile.map(async ({ name, runId, codes }) => ({ name, codes, run: await app.ended(runId) })),
    );
    const run = await app.ended(goodRun);
    over = true;
    await asking;

    expect(run.error).toBeUndefined();
    expect(run.state).toBe('finished');
    for (const { name, codes, run: bad } of ends) {
      expect([name, bad.state]).toEqual([name, 'failed']);
      expect(codes, name).toContain(bad.error?.code);
    }
    expect(answered).toBeGreaterThan(20);
    expect(await app.rss()).toBeLessThan(maxMemory);
  }, 600_000);
});
