import { describe, expect, it, vi } from 'vitest';
import { hasDisplay } from './electron.mjs';
import { describeFailure, SetupFailure } from './failure.mjs';
import { createProgress, formatSeconds } from './progress.mjs';
import { isNewEnough } from './runtime.mjs';

const collect = (isTTY = false) => {
  let text = '';
  return { isTTY, columns: 80, write: (chunk) => (text += chunk), text: () => text };
};

describe('progress', () => {
  it('shows a line for each step with its time, and the step’s messages', async () => {
    const stream = collect();
    let now = 0;
    const progress = createProgress({ stream, clock: () => now });
    const result = await progress.step('native build', async (step) => {
      step.say('cleared');
      now = 61_400;
      return 7;
    });
    expect(result).toBe(7);
    expect(stream.text()).toBe('  cleared\n✓ native build (1 min 01 s)\n');
  });

  it('marks a failed step, and passes the error on', async () => {
    const stream = collect();
    const progress = createProgress({ stream, clock: () => 0 });
    await expect(progress.step('apt', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(stream.text()).toBe('✗ apt (0.0 s)\n');
  });

  it('omits quick steps in quiet mode', async () => {
    const stream = collect();
    let now = 0;
    const progress = createProgress({ stream, quiet: true, clock: () => now });
    await progress.step('quick', () => Promise.resolve());
    expect(stream.text()).toBe('');
    await progress.step('slow', async () => (now = 2000));
    expect(stream.text()).toBe('✓ slow (2.0 s)\n');
  });

  it('shows the activities of parallel steps on one line', async () => {
    vi.useFakeTimers();
    const stream = collect(true);
    const progress = createProgress({ stream, clock: () => Date.now() });
    const step = (name, seconds) =>
      progress.step(name, async ({ now }) => {
        now(`${name}ing`);
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      });
    const both = Promise.all([step('fetch', 2), step('build', 4)]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(stream.text()).toContain('  fetch: fetching (1 s) · build: building (1 s)');
    await vi.advanceTimersByTimeAsync(3000);
    await both;
    vi.useRealTimers();
    expect(stream.text()).toMatch(
      /✓ fetch \(2\.0 s\)[^]*\r\S*  build: building \(3 s\)[^]*✓ build \(4\.0 s\)/,
    );
  });

  it('formats times for readers', () => {
    expect([0.04, 59.94, 60, 125.6].map(formatSeconds)).toEqual([
      '0.0 s',
      '59.9 s',
      '1 min 00 s',
      '2 min 06 s',
    ]);
  });
});

describe('failures', () => {
  it('show what failed, what to do, and the last output of the program', () => {
    const text = describeFailure(new SetupFailure('apt failed', 'type this:\nsudo x', 'E: no\n'));
    expect(text).toBe('E: no\n\nFailed: apt failed\nWhat to do: type this:\n  sudo x');
    expect(describeFailure(new SetupFailure('x', 'y'))).toBe('Failed: x\nWhat to do: y');
  });
});

describe('this machine', () => {
  it('has a display if its environment names one', () => {
    expect(hasDisplay('linux', {})).toBe(false);
    expect(hasDisplay('linux', { DISPLAY: '' })).toBe(false);
    expect(hasDisplay('linux', { DISPLAY: ':0' })).toBe(true);
    expect(hasDisplay('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toBe(true);
    expect(hasDisplay('darwin', {})).toBe(true);
  });

  it('has a Node that is new enough from 24 on', () => {
    expect(['v20.20.2', 'v24.0.0', 'v26.1.0', 'nonsense'].map(isNewEnough)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
