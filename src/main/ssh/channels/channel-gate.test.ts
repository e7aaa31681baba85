import { afterEach, describe, expect, it, vi } from 'vitest';
import { ChannelRefused, createChannelGate, type ChannelGate, type Opened } from './channel-gate.ts';

/** A gate of a server that allows so many channels; terminals and commands are opened and closed by hand. */
function gateOf(maxSessions: number) {
  let now = 0;
  let open = 0;
  const closers: (() => void)[] = [];
  const gate = createChannelGate('n1', {
    ticks: () => now,
    random: () => 0.5,
    sleep(ms) {
      now += ms;
      return Promise.resolve();
    },
  });
  const channel = (): Promise<Opened<string>> => {
    if (open >= maxSessions) return Promise.reject(new ChannelRefused('open failed'));
    open += 1;
    const closed = new Promise<void>((resolve) => {
      closers.push(() => {
        open -= 1;
        resolve();
      });
    });
    return Promise.resolve({ value: 'open', closed });
  };
  return {
    terminal: (): ReturnType<ChannelGate['open']> => gate.open(channel, { interactive: true }),
    command: (): ReturnType<ChannelGate['open']> => gate.open(channel),
    async closeOldest() {
      closers.shift()?.();
      await new Promise(setImmediate);
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('terminals of one connection', () => {
  it('leave channels to commands; a further one is refused, not kept waiting', async () => {
    const { terminal, command, closeOldest } = gateOf(10);
    const opened = await Promise.allSettled(Array.from({ length: 8 }, terminal));
    expect(opened.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => 'fulfilled'),
      ...Array.from({ length: 3 }, () => 'rejected'),
    ]);
    await expect(terminal()).rejects.toMatchObject({
      code: 'terminals_per_connection',
      params: { host: 'n1' },
    });
    await expect(Promise.all([command(), command(), command()])).resolves.toHaveLength(3);
    await closeOldest();
    await expect(terminal()).resolves.toBe('open');
  });

  it('are refused where the server turns out to allow fewer channels, which commands then get', async () => {
    const { terminal, command, closeOldest } = gateOf(4);
    await Promise.all(Array.from({ length: 4 }, terminal));
    await expect(terminal()).rejects.toMatchObject({ code: 'terminals_per_connection' });
    const waiting = command();
    await closeOldest();
    await expect(waiting).resolves.toBe('open');
  });

  it('that could not be opened are not counted', async () => {
    const { terminal, closeOldest } = gateOf(2);
    await terminal();
    await terminal();
    for (let more = 0; more < 2; more += 1)
      await expect(terminal()).rejects.toMatchObject({ code: 'terminals_per_connection' });
    await closeOldest();
    await closeOldest();
    await expect(terminal()).resolves.toBe('open');
  });

  it('are refused where the server turns out to allow a single channel', async () => {
    const { terminal, command, closeOldest } = gateOf(1);
    await command();
    await expect(terminal()).rejects.toMatchObject({ code: 'terminals_per_connection' });
    await closeOldest();
    await expect(terminal()).rejects.toMatchObject({ code: 'terminals_per_connection' });
  });

  it('keep no command waiting without end, unless another command has the channel', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { terminal, command, closeOldest } = gateOf(1);
    await terminal();
    const refused = expect(command()).rejects.toMatchObject({
      code: 'channel_refused',
      detail: expect.stringContaining('terminals') as unknown,
    });
    await new Promise(setImmediate);
    vi.advanceTimersByTime(30_000);
    await refused;
    await closeOldest();
    await command();
    const waiting = command();
    await new Promise(setImmediate);
    vi.advanceTimersByTime(300_000);
    await closeOldest();
    await expect(waiting).resolves.toBe('open');
  });
});
