import { expect, test } from 'vitest';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { createChanges } from './changes.ts';
import { planNetwork } from './plan.ts';
import { planNow, routesNow, type Routed } from './reroute.ts';
import { drawn } from './testing/lab.ts';

const owner = 'cafecafe';
const means = { tbf: true, htb: true, netem: true };
const routed = (lab: LabDocument, ...down: string[]): Routed => ({
  plan: planNetwork(lab, owner),
  drawn: lab,
  lab,
  down: new Set(down),
});
const rerouting = (lab: LabDocument): LabDocument => ({
  ...lab,
  experiment: { ...lab.experiment, onLinkDown: 'reroute' },
});

test('no route over a link that is down is set: the kernel would refuse it, and all after it would be missing', () => {
  const network = routed(drawn('lab', ['a', 'b', 'c', 'd'], ['a-b', 'b-c', 'c-d']), 'l-a-b');
  const set = routesNow(network, owner);
  expect(set).not.toContain(' dev rl1 ');
  const rest = network.plan.routes.filter(({ device }) => device !== 'rl1');
  expect(rest.length).toBeGreaterThan(0);
  for (const { to, via } of rest) expect(set).toContain(`${to}/32 via ${via} `);
});

test('the start of a run over what is left sets the routes of now', () => {
  const lab = rerouting(drawn('lab', ['a', 'b', 'c'], ['a-b', 'b-c', 'c-a']));
  const network = routed(lab, 'l-a-b');
  const { plan } = network;
  const standing = {
    hostDevices: [],
    hostNetworks: [],
    namespaces: plan.nodes.map(({ namespace, nodeId }) => ({
      name: namespace,
      busy: false,
      mark: { owner, labId: lab.id, nodeId, structure: plan.structure, block: 0 },
    })),
  };
  const [change, ...more] = createChanges(owner).changesTo(
    lab,
    plan,
    means,
    standing,
    planNow(network, owner),
  );
  expect(more).toEqual([]);
  expect(change).toMatchObject({ what: 'shape' });
  expect(
    change?.script
      .split('\n')
      .filter((line) => line.startsWith('route '))
      .sort(),
  ).toEqual(
    planNetwork(lab, owner, network.down)
      .routes.map(
        ({ to, via, device, source }) => `route replace ${to}/32 via ${via} dev ${device} src ${source}`,
      )
      .sort(),
  );
});

const switches = ['a-s1', 'b-s2', 's1-s2@1000', 's2-s3@100', 's3-s1@100'];

test('a blocked link between switches takes the place of one that is down, and never are both ports', () => {
  const lab = rerouting(drawn('lab', ['a', 'b', 's1', 's2', 's3'], switches));
  const ports = (network: Routed): string[] =>
    planNow(network, owner)
      .links.filter(({ ends }) => ends.every(({ isPort }) => isPort))
      .map(({ linkId }) => linkId);
  expect(ports(routed(lab))).toEqual(['l-s1-s2', 'l-s2-s3']);
  expect(ports(routed(lab, 'l-s1-s2'))).toEqual(['l-s2-s3', 'l-s3-s1']);
  // Where traffic does not take other ways nothing changes.
  const stays = { ...lab, experiment: { ...lab.experiment, onLinkDown: 'wait' as const } };
  expect(ports(routed(stays, 'l-s1-s2'))).toEqual(['l-s1-s2', 'l-s2-s3']);
  // The link that is up again has no port yet: it gets it after the other has lost its own.
  const lines = routesNow(routed(lab), owner).split('\n');
  expect(lines.findLastIndex((line) => line.endsWith(' nomaster'))).toBeGreaterThan(0);
  expect(lines.findLastIndex((line) => line.endsWith(' nomaster'))).toBeLessThan(
    lines.findIndex((line) => line.includes(' master ')),
  );
});
