import { expect, test } from 'vitest';
import { namespaceOf, parseMark, formatMark } from './names.ts';
import { planNetwork } from './plan.ts';
import { buildScript, managementAddresses } from './script.ts';
import { lackingOf, shapeCommands } from './shaping.ts';
import { drawn } from './testing/lab.ts';

const owner = 'cafecafe';
const all = { tbf: true, htb: true, netem: true };

test('in a chain the middle node forwards, and each node reaches the others by the address on its lo', () => {
  const lab = drawn('lab', ['a', 'b', 'c'], ['a-b', 'b-c']);
  const plan = planNetwork(lab, owner);
  expect(plan.nodes.map(({ address }) => address)).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
  expect(plan.links.map(({ ends }) => ends.map(({ address }) => address))).toEqual([
    ['10.64.0.1/30', '10.64.0.2/30'],
    ['10.64.0.5/30', '10.64.0.6/30'],
  ]);
  const ofA = plan.routes.filter(({ namespace }) => namespace === namespaceOf(owner, 'lab', 'a'));
  expect(ofA.map(({ to, via, device, source }) => [to, via, device, source])).toEqual([
    ['10.0.0.2', '10.64.0.2', 'rl1', '10.0.0.1'],
    ['10.0.0.3', '10.64.0.2', 'rl1', '10.0.0.1'],
  ]);
});

test('routes avoid links that are down, and nothing else of the plan changes', () => {
  const lab = drawn('lab', ['a', 'b', 'c', 'd'], ['a-b', 'b-d', 'd-c', 'c-a']);
  const whole = planNetwork(lab, owner);
  const cut = planNetwork(lab, owner, new Set(['l-a-b']));
  expect({ ...cut, routes: [], structure: '' }).toEqual({ ...whole, routes: [], structure: '' });
  const from = (plan: typeof cut, node: string) =>
    plan.routes
      .filter(({ namespace }) => namespace === namespaceOf(owner, 'lab', node))
      .map(({ to, device }) => `${to} ${device}`);
  expect(from(whole, 'a')).toContain('10.0.0.2 rl1');
  expect(from(cut, 'a')).toEqual(['10.0.0.2 rl4', '10.0.0.3 rl4', '10.0.0.4 rl4']);
  expect(from(cut, 'b')).toEqual(['10.0.0.1 rl2', '10.0.0.3 rl2', '10.0.0.4 rl2']);
  // To a node that no way leads to there is no route.
  const apart = planNetwork(lab, owner, new Set(['l-a-b', 'l-c-a']));
  expect(from(apart, 'a')).toEqual([]);
  expect(from(apart, 'b')).toEqual(['10.0.0.3 rl2', '10.0.0.4 rl2']);
});

test('nodes behind switches share a subnet, and a cycle of switches is cut at its slowest link', () => {
  const lab = drawn('lab', ['a', 'b', 's1', 's2', 's3'], ['a-s1', 'b-s2', 's1-s2@1', 's2-s3', 's3-s1']);
  const plan = planNetwork(lab, owner);
  expect(plan.links.flatMap(({ ends }) => ends.flatMap(({ address }) => address ?? []))).toEqual([
    '10.128.0.1/16',
    '10.128.0.2/16',
  ]);
  expect(plan.routes.map(({ via }) => via)).toEqual(['10.128.0.2', '10.128.0.1']);
  const cut = plan.links.filter(({ ends }) =>
    ends.every(({ isPort, address }) => !isPort && address === undefined),
  );
  expect(cut.map(({ linkId }) => linkId)).toEqual(['l-s1-s2']);
});

test('a group of switches has room for as many links as a lab has', () => {
  const nodes = Array.from({ length: 88 }, (_, index) => `n${index}`);
  const switches = ['s1', 's2', 's3'];
  const links = nodes.flatMap((node) => switches.map((one) => `${node}-${one}`));
  const plan = planNetwork(
    drawn('lab', [...nodes, ...switches, 's4'], [...links, 's1-s2', 's2-s3', 'n0-s4']),
    owner,
  );
  const found = plan.links.flatMap(({ ends }) => ends.flatMap(({ address }) => address ?? []));
  expect(new Set(found).size).toBe(265);
  expect(found.filter((address) => /^10\.128\.[01]\.\d+\/16$/.test(address))).toHaveLength(264);
  expect(found.at(-1)).toBe('10.129.0.1/16');
});

test('every device name has at most the kernel’s 15 characters, even in the largest lab', () => {
  const names = Array.from({ length: 128 }, (_, index) => `n${index}`);
  const plan = planNetwork(
    drawn(
      'large',
      names,
      names.slice(1).map((name) => `n0-${name}`),
    ),
    owner,
  );
  const devices = [
    ...plan.nodes.flatMap(({ management }) => management?.hostDevice ?? []),
    ...plan.links.map(({ device }) => device),
  ];
  expect(new Set(devices).size).toBe(devices.length);
  for (const device of devices) {
    expect(device.length).toBeLessThanOrEqual(15);
    expect(device).toMatch(/^rl/);
  }
});

test('a link’s shape is not part of the structure hash; its ends are', () => {
  const structure = (...links: string[]): string =>
    planNetwork(drawn('lab', ['a', 'b', 'c'], links), owner).structure;
  expect(structure('a-b@10', 'b-c')).toBe(structure('a-b@100', 'b-c'));
  expect(structure('a-b', 'b-c')).not.toBe(structure('a-b', 'a-c'));
});

test('a marker is parsed; foreign text is not a marker', () => {
  const mark = { owner, labId: 'lab', nodeId: 'a', structure: 'x', block: 3 };
  expect(parseMark(formatMark(mark))).toEqual(mark);
  for (const alias of [
    '',
    'uplink',
    'ringlab',
    'ringlab a b c d',
    'ringlab a b c d 1 more',
    'other a b c d 1',
  ])
    expect(parseMark(alias)).toBeUndefined();
});

test('the script creates the plan and uses only its own names', () => {
  const lab = drawn('lab', ['a', 'b'], ['a-b']);
  const plan = planNetwork(lab, owner);
  const text = buildScript(plan, owner, 2, new Map(lab.links.map((link) => [link.id, link])), all);
  for (const line of text.split('\n').filter((one) => /^(ip|tc|nsenter) /.test(one)))
    expect(line).toMatch(/ringlab-[0-9a-f]{8}-[ab]|(link set|address add .* dev) rl/);
  expect(managementAddresses(2, 1)).toEqual(['198.18.8.5', '198.18.8.6']);
});

test.each([
  [
    { bandwidthMbps: 10, delayMs: 0, lossPercent: 0 },
    all,
    [],
    [/^qdisc replace dev rl1 root tbf rate 10000000bit/],
  ],
  [
    { bandwidthMbps: 10, delayMs: 20, lossPercent: 1, jitterMs: 2 },
    all,
    [],
    [/htb/, /rate 10000000bit/, /delay 20000us 2000us loss 1%/],
  ],
  [
    { bandwidthMbps: 10, delayMs: 20, lossPercent: 1, jitterMs: 2 },
    { ...all, netem: false },
    ['delay', 'jitter', 'loss'],
    [/tbf/],
  ],
  [
    { bandwidthMbps: 10, delayMs: 0, lossPercent: 0 },
    { tbf: false, htb: true, netem: false },
    [],
    [/htb/, /rate/, /bfifo/],
  ],
  [
    { bandwidthMbps: 10, delayMs: 5, lossPercent: 0 },
    { tbf: false, htb: false, netem: false },
    ['bandwidth', 'delay'],
    [],
  ],
] as const)('a shape %j on a kernel with %j', (shape, means, lacking, patterns) => {
  expect(lackingOf(shape, means)).toEqual(lacking);
  const lines = shapeCommands('rl1', shape, means).map((words) => words.join(' '));
  expect(lines).toHaveLength(patterns.length);
  lines.forEach((line, index) => expect(line).toMatch(patterns[index]!));
});

test.each([0.000001, 0.05, 1, 10, 1000, 100_000, 1_000_000])(
  '%d Mbps becomes a rate that tc accepts',
  (bandwidthMbps) => {
    const [words] = shapeCommands('rl1', { bandwidthMbps, delayMs: 0, lossPercent: 0 }, all);
    const number = (after: string): number => Number.parseInt(words![words!.indexOf(after) + 1]!, 10);
    expect(number('rate')).toBeGreaterThanOrEqual(8);
    expect(number('burst')).toBeGreaterThan(1514);
    expect(number('limit')).toBeLessThan(2 ** 32);
  },
);
