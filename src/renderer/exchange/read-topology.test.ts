// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest';
import { toWireError } from '../../shared/base/errors.ts';
import { fromContainerlab } from './containerlab.ts';
import { readTopology, type TopologyWorker } from './read-topology.ts';

const text = 'topology:\n  nodes:\n    a:\n    b:\n  links:\n    - endpoints: ["a:e1", "b:e1"]\n';

/** A worker without a thread; `answer` sends its reply, if any. */
function worker(answer: (target: EventTarget, text: string) => void) {
  const target = new EventTarget();
  const terminate = vi.fn();
  const start = (): TopologyWorker => ({
    addEventListener: target.addEventListener.bind(target),
    postMessage: (file: { text: string }) => answer(target, file.text),
    terminate,
  });
  return { start, terminate };
}
const saying = (target: EventTarget, data: unknown): boolean =>
  target.dispatchEvent(new MessageEvent('message', { data }));

afterEach(() => vi.useRealTimers());

it('returns the worker’s lab or error, and ends it', async () => {
  const good = worker((target, given) => saying(target, fromContainerlab(given, 'x.yml')));
  expect((await readTopology(text, 'x.yml', good)).lab.nodes.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(good.terminate).toHaveBeenCalledOnce();
  const bad = worker((target, given) => {
    try {
      fromContainerlab(given, 'x.yml');
    } catch (error) {
      saying(target, { error: toWireError(error) });
    }
  });
  await expect(readTopology('topology: 3', 'x.yml', bad)).rejects.toMatchObject({
    code: 'lab_invalid',
    params: { path: 'topology' },
    where: 'x.yml',
  });
  expect(bad.terminate).toHaveBeenCalledOnce();
});

it('a file that takes too long, or all memory, ends the worker with an error', async () => {
  vi.useFakeTimers();
  const slow = worker(() => undefined);
  const reading = expect(readTopology(text, 'x.yml', slow)).rejects.toMatchObject({
    code: 'lab_invalid',
    params: { problem: 'reading it takes longer than 20 s' },
  });
  await vi.advanceTimersByTimeAsync(20_000);
  await reading;
  expect(slow.terminate).toHaveBeenCalledOnce();
  const full = worker((target) =>
    target.dispatchEvent(new ErrorEvent('error', { message: 'out of memory' })),
  );
  await expect(readTopology(text, 'x.yml', full)).rejects.toMatchObject({
    code: 'lab_unreadable',
    detail: 'out of memory',
  });
  expect(full.terminate).toHaveBeenCalledOnce();
});
