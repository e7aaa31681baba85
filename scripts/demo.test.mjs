import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ringlab } from './setup/hand-over.mjs';
import { main, setUp } from './setup/index.mjs';
import { hasTrainer } from './setup/native.mjs';
import { thisSystem } from './setup/system.mjs';

vi.mock('./setup/hand-over.mjs', () => ({ ringlab: vi.fn(() => Promise.resolve(0)) }));
vi.mock('./setup/native.mjs', () => ({ hasTrainer: vi.fn() }));
vi.mock('./setup/index.mjs', () => ({
  main: vi.fn((work) => work()),
  setUp: vi.fn(() => Promise.resolve({ node: '/node', complete: true })),
}));
vi.mock('./setup/system.mjs', async (original) => ({ ...(await original()), thisSystem: vi.fn() }));

const debian = { name: 'Debian 12', support: 'complete' };
const fedora = { name: 'Fedora Linux 41', support: 'remote' };
let said;

beforeEach(() => {
  said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.clearAllMocks();
  vi.resetModules();
});

/** Whether there is a trainer before the set-up and after it. @returns {Promise<number>} the exit code */
async function demo(system, [before, after]) {
  thisSystem.mockReturnValue(system);
  hasTrainer.mockImplementation(() => (setUp.mock.calls.length === 0 ? before : after));
  await import('./demo.mjs');
  return main.mock.settledResults[0].value;
}

it('the demo installs what the window needs, not what the tests need', async () => {
  expect(await demo(debian, [false, true])).toBe(0);
  expect(setUp).toHaveBeenCalledExactlyOnceWith({ lenient: true, purpose: 'app' });
  expect(ringlab).toHaveBeenCalledOnce();
});

it('where there are no local nodes the demo says so in one line, and installs nothing', async () => {
  expect(await demo(fedora, [false])).toBe(1);
  expect(said).toMatch(/^Fedora Linux 41: [^\n]*Debian 12 or 13[^\n]*\n$/);
  expect(setUp).not.toHaveBeenCalled();
  expect(ringlab).not.toHaveBeenCalled();
});

it('where a trainer was built by hand the demo trains on every system', async () => {
  expect(await demo(fedora, [true, true])).toBe(0);
  expect(ringlab).toHaveBeenCalledOnce();
});

it('a set-up that could not bring a trainer ends the demo', async () => {
  expect(await demo(debian, [false, false])).toBe(1);
  expect(said).toMatch(/^[^\n]*no trainer[^\n]*\n$/);
  expect(ringlab).not.toHaveBeenCalled();
});
