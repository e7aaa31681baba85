import { EventEmitter } from 'node:events';
import { Duplex, PassThrough } from 'node:stream';
import type { Client } from 'ssh2';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createChannelGate } from './channel-gate.ts';
import { startProcess } from './remote-process.ts';

/** An ssh2 client whose server starts no command: permanently, or because the connection is closing. */
function refusing(goes: boolean): Client {
  const client = new EventEmitter();
  let isGone = false;
  const exec = (_: string, onChannel: (error: Error) => void): void => {
    if (isGone) throw new Error('Not connected');
    isGone = goes;
    onChannel(new Error('Unable to exec'));
  };
  return Object.assign(client, { exec }) as unknown as Client; // only exec and its events are used
}

const started = (client: Client): Promise<unknown> => {
  let now = 0;
  const sleep = (milliseconds: number): Promise<void> => {
    now += milliseconds;
    return Promise.resolve();
  };
  const gate = createChannelGate('n1', { ticks: () => now, sleep, random: () => 0.5 });
  return gate.open(() => startProcess({ client, host: 'n1' }, 'true'));
};

test('fault 17: a connection lost during a command’s request is reported as lost, not as a refusal', async () => {
  await expect(started(refusing(true))).rejects.toMatchObject({
    code: 'connection_lost',
    params: { host: 'n1' },
  });
});

test('a server that runs no commands is reported as such', async () => {
  await expect(started(refusing(false))).rejects.toMatchObject({
    code: 'command_failed',
    detail: 'Unable to exec',
  });
});

describe('what still arrives after the exit status, on a slow link', () => {
  afterEach(() => vi.useRealTimers());

  /** A started script whose exit status has arrived. */
  async function exited() {
    vi.useFakeTimers();
    const written: string[] = [];
    const close = vi.fn();
    const duplex = new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _, done) {
        written.push(chunk.toString());
        done();
      },
    });
    const channel = Object.assign(duplex, { stdin: duplex, stderr: new PassThrough(), close });
    const exec = (_: string, onChannel: (error: undefined, opened: typeof channel) => void): void =>
      onChannel(undefined, channel);
    const client = Object.assign(new EventEmitter(), { exec }) as unknown as Client; // only exec is used
    const { value: process } = await startProcess({ client, host: 'n1' }, 'true');
    let output = '';
    process.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    process.stderr.resume();
    channel.push(`${/RINGLAB-\w+:/.exec(written.join(''))?.[0] ?? ''}1;`);
    channel.emit('exit', 0);
    return { channel, close, process, output: () => output };
  }

  test('is read to its end; silence ends the channel', async () => {
    const { channel, close, process, output } = await exited();
    for (let second = 0; second < 20; second += 1) {
      channel.push('x');
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(close).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(close).toHaveBeenCalled();
    expect(await process.ended).toEqual({ code: 0, signal: null });
    expect(output()).toBe('x'.repeat(20));
  });

  test('is not waited for without end: a background process may print for ever', async () => {
    const { channel, close } = await exited();
    for (let second = 0; second < 130; second += 1) {
      channel.push('x');
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(close).toHaveBeenCalled();
  });
});
