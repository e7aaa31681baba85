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

const addresses = new Map([
  ['a', '192.0.2.1'],
  ['b', '192.0.2.2'],
]);

interface StandIn {
  readonly limits: Limits;
  readonly lab: LabDocument;
  /** What the node was asked for, in order. */
  readonly asked: Asked[];
  /** The node and its script, in order, without renewals. */
  readonly scripts: { readonly nodeId: string; readonly asked: Asked; readonly script: string }[];
  readonly problems: string[];
  isReachable: boolean;
  /** Whether the node has its limits. */
  isLimited: boolean;
  /** Every renewal waits for it. */
  held: Promise<void> | undefined;
  start(): Promise<void>;
}

/** A lab whose only real node answers as its scripts would, and is renewed every 10 ms. */
function standIn(lifeSeconds = 0.03): StandIn {
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
  const exec = async (nodeId: string, script: string): ReturnType<typeof shell.exec> => {
    const asked = askedBy(script);
    node.asked.push(asked);
    if (asked !== 'renew') node.scripts.push({ nodeId, asked, script });
    if (asked === 'renew') await node.held;
    const code = asked === 'renew' && !node.isLimited ? 1 : 0;
    if (asked !== 'renew') node.isLimited = asked === 'limit';
    return { code, signal: null, stdout: '', stderr: '' };
  };
  const session = (_: LabDocument, nodeId: string) =>
    node.isReachable
      ? Promise.resolve({ ...shell, exec: (script: string) => exec(nodeId, script) })
      : Promise.reject(new RinglabError('connection_lost', { host: 'a', reason: 'cut by the test' }));
  const node: StandIn = {
    limits: createLimits({ reach: { session }, events, dataFolder: '/data', lifeSeconds }),
    lab,
    asked: [],
    scripts: [],
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

test('ranks that start again at other addresses are limited to those, as the links are drawn by now', async () => {
  const node = standIn();
  try {
    await node.start();
    await node.limits.reshape({
      ...node.lab,
      links: node.lab.links.map((link) => ({ ...link, bandwidthMbps: 40 })),
    });
    await node.limits.apply(node.lab, new Map(addresses));
    expect(counted(node.asked, 'limit')).toBe(2);
    await node.limits.apply(node.lab, new Map([...addresses, ['b', '192.0.2.9']]));
    expect(counted(node.asked, 'limit')).toBe(3);
    const last = node.scripts.at(-1)?.script;
    expect(last).toContain('192.0.2.9/32');
    expect(last).not.toContain('192.0.2.2');
    expect(last).toContain('rate 40000000bit');
    await node.limits.lift(node.lab.id);
    expect(node.isLimited).toBe(false);
    expect(node.problems).toEqual([]);
  } finally {
    node.limits.close();
  }
});

test('ranks that start again at the same addresses are limited again where the limits are gone', async () => {
  const node = standIn(3600);
  try {
    await node.start();
    await node.start();
    expect(node.asked).toEqual(['limit', 'renew']);
    // What ended the ranks took the limits, too.
    node.isLimited = false;
    await node.start();
    expect(node.asked.slice(2)).toEqual(['renew', 'limit']);
  } finally {
    node.limits.close();
  }
});

test('a node that takes another one’s place is limited, and the other one no longer', async () => {
  const node = standIn();
  try {
    await node.start();
    await node.limits.reshape(node.lab);
    const [a, b] = node.lab.nodes;
    const replaced: LabDocument = {
      ...node.lab,
      nodes: [{ ...a!, id: 'c', name: 'C' }, b!],
      links: node.lab.links.map((link) => ({ ...link, ends: ['c', 'b'] })),
    };
    await node.limits.apply(
      replaced,
      new Map([
        ['c', '192.0.2.3'],
        ['b', '192.0.2.2'],
      ]),
    );
    const done = node.scripts.slice(1).map(({ nodeId, asked }) => `${asked} ${nodeId}`);
    expect(done.sort()).toEqual(['lift a', 'limit c']);
    await node.limits.lift(node.lab.id);
    expect(node.scripts.at(-1)).toMatchObject({ nodeId: 'c', asked: 'lift' });
  } finally {
    node.limits.close();
  }
});
