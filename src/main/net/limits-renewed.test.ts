import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { createEventLog } from '../base/events.ts';
import { createLocalShell } from '../ssh/testing/local-shell.ts';
import { createLimits, type Limits } from './limits.ts';
import { drawn } from './testing/lab.ts';

type Asked = 'limit' | 'renew' | 'lift';
const askedBy = (script: string): Asked =>
  script.includes('tc class add') ? 'limit' : script.includes('exit 1') ? 'renew' : 'lift';

interface StandIn {
  readonly limits: Limits;
  readonly lab: LabDocument;
  /** What the node was asked for, in order. */
  readonly asked: Asked[];
  readonly problems: string[];
  isReachable: boolean;
  /** Whether the node has its limits. */
  isLimited: boolean;
  /** Every renewal waits for it. */
  held: Promise<void> | undefined;
  start(): Promise<void>;
}

/** A lab whose only real node answers as its scripts would, and is renewed every 10 ms. */
function standIn(): StandIn {
  const lab = drawn('limits', ['a', 'b'], ['a-b@10']);
  lab.nodes[0]!.access = {
    ...{ type: 'ssh', host: 'a', port: 22, user: 'u', authentication: { method: 'agent' } },
  };
  lab.experiment = { ...lab.experiment, limitLinks: true };
  const events = createEventLog();
  events.subscribe((event) => {
    if (event.name === 'app.problem') node.problems.push(event.data.error.code);
  });
  const shell = createLocalShell({ home: tmpdir() });
  const exec = async (script: string): ReturnType<typeof shell.exec> => {
    const asked = askedBy(script);
    node.asked.push(asked);
    if (asked === 'renew') await node.held;
    const code = asked === 'renew' && !node.isLimited ? 1 : 0;
    if (asked !== 'renew') node.isLimited = asked === 'limit';
    return { code, signal: null, stdout: '', stderr: '' };
  };
  const session = () =>
    node.isReachable
      ? Promise.resolve({ ...shell, exec })
      : Promise.reject(new RinglabError('connection_lost', { host: 'a', reason: 'cut by the test' }));
  const addresses = new Map([
    ['a', '192.0.2.1'],
    ['b', '192.0.2.2'],
  ]);
  const node: StandIn = {
    limits: createLimits({ reach: { session }, events, lifeSeconds: 0.03 }),
    lab,
    asked: [],
    problems: [],
    isReachable: true,
    isLimited: false,
    held: undefined,
    start: () => node.limits.apply(lab, addresses),
  };
  return node;
}
const counted = (asked: readonly Asked[], which: Asked): number =>
  asked.filter((one) => one === which).length;

test('a node that was away is limited again, as drawn since, and reported once for each time', async () => {
  const node = standIn();
  try {
    await node.start();
    for (const outage of [1, 2]) {
      node.isReachable = false;
      await expect.poll(() => node.problems).toHaveLength(outage);
      // Its guard lifts the limits, and the drawing changes.
      node.isLimited = false;
      await node.limits.reshape({
        ...node.lab,
        links: node.lab.links.map((link) => ({ ...link, bandwidthMbps: 20 * outage })),
      });
      node.isReachable = true;
      await expect.poll(() => node.isLimited).toBe(true);
      const renewed = counted(node.asked, 'renew');
      await expect.poll(() => counted(node.asked, 'renew')).toBeGreaterThan(renewed + 1);
    }
    expect(node.problems).toEqual(['connection_lost', 'connection_lost']);
    expect(counted(node.asked, 'limit')).toBe(3);
  } finally {
    node.limits.close();
  }
});

test('a node that could not be limited when the run started is limited later', async () => {
  const node = standIn();
  try {
    node.isReachable = false;
    await node.start();
    expect(node.problems).toEqual(['connection_lost']);
    node.isReachable = true;
    await expect.poll(() => node.isLimited).toBe(true);
  } finally {
    node.limits.close();
  }
});

test('limits that are gone are set again, but not after the run has ended', async () => {
  const node = standIn();
  try {
    await node.start();
    node.isLimited = false;
    await expect.poll(() => node.isLimited).toBe(true);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    node.held = promise;
    const renewed = counted(node.asked, 'renew');
    await expect.poll(() => counted(node.asked, 'renew')).toBeGreaterThan(renewed);
    node.isLimited = false;
    const lifted = node.limits.lift(node.lab.id);
    resolve(undefined);
    await lifted;
    expect(node.asked.at(-1)).toBe('lift');
    expect(counted(node.asked, 'limit')).toBe(2);
    expect(node.problems).toEqual([]);
  } finally {
    node.limits.close();
  }
});
