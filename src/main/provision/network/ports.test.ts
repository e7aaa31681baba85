import { expect, test } from 'vitest';
import { candidateAddresses } from '../node/addresses.ts';
import { createPortPromises, parseListening } from './ports.ts';
import { createHandClock } from '../../base/testing/hand-clock.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';

test('the next free port is used, and a reserved one is not given twice on one machine', () => {
  const clock = createHandClock();
  const ports = createPortPromises(clock);
  const taken = parseListening('1F9A 0016 1F9B zz \n');
  expect([...taken]).toEqual([8090, 22, 8091]);
  expect(ports.promise('m', 8090, taken, 'lab')).toBe(8092);
  expect(ports.promise('m', 8090, taken, 'lab')).toBe(8093);
  expect(ports.promise('other', 8090, new Set(), 'lab')).toBe(8090);
  ports.release('m', 8093);
  expect(ports.promise('m', 8090, taken, 'lab')).toBe(8093);
  clock.pass(61_000);
  expect(ports.promise('m', 8090, taken, 'lab')).toBe(8092);
});

test('a lab that was not started gets its reserved port again, other labs do not', () => {
  const clock = createHandClock();
  const ports = createPortPromises(clock);
  expect(ports.promise('m', 8090, new Set(), 'lab')).toBe(8090);
  // Another run of the same lab, at the same time.
  expect(ports.promise('m', 8090, new Set(), 'lab')).toBe(8091);
  clock.pass(11_000);
  expect(ports.promise('m', 8090, new Set(), 'other')).toBe(8092);
  expect(ports.promise('m', 8090, new Set(), 'lab')).toBe(8090);
});

test('a reservation lasts while the port is in use, and ends after the run', () => {
  const ports = createPortPromises(createHandClock());
  expect(ports.promise('m', 8090, new Set(), 'lab')).toBe(8090);
  expect(ports.promise('m', 8090, new Set([8090]), 'lab')).toBe(8091);
  expect(ports.promise('m', 8090, new Set(), 'lab')).toBe(8090);
});

test('fifty ports are tried, and none beyond 65535', () => {
  const ports = createPortPromises(createHandClock());
  const fifty = new Set(Array.from({ length: 50 }, (_, index) => 8090 + index));
  expect(ports.promise('m', 8090, fifty, 'lab')).toBeUndefined();
  fifty.delete(8139);
  expect(ports.promise('m', 8090, fifty, 'lab')).toBe(8139);
  expect(ports.promise('m', 65_535, new Set([65_535]), 'lab')).toBeUndefined();
});

test('of several addresses the SSH address is first, then the one nearest to the others, bridges last', () => {
  const node = (...addresses: [string, string][]): NodeFacts =>
    // Only the addresses are read.
    ({ addresses: addresses.map(([name, address]) => ({ interface: name, address })) }) as NodeFacts;
  const first = node(
    ['docker0', '172.17.0.1'],
    ['eth0', '192.168.1.5'],
    ['eth1', '10.0.0.5'],
    ['eth2', 'fd00::2'],
    ['lo', '127.0.0.1'],
  );
  const other = node(['docker0', '172.17.0.1'], ['ens3', '10.0.0.6']);
  expect(candidateAddresses(first, 'gateway.example', [other])).toEqual([
    '10.0.0.5',
    '192.168.1.5',
    '172.17.0.1',
  ]);
  expect(candidateAddresses(first, '192.168.1.5', [other])[0]).toBe('192.168.1.5');
  // Both have one in the tunnel of another lab, nearest of all.
  const joined = (node: NodeFacts, address: string): NodeFacts => ({
    ...node,
    addresses: [...node.addresses, { interface: 'rlwg669f8b8198', address }],
  });
  const tunnelled = [joined(first, '172.28.28.1'), joined(other, '172.28.28.2')] as const;
  expect(candidateAddresses(tunnelled[0], 'gateway.example', [tunnelled[1]])).toEqual(
    candidateAddresses(first, 'gateway.example', [other]),
  );
});
