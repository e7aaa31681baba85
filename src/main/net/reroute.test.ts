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
