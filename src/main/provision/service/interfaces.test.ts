/**
 * Tests which address is chosen between machines: two nodes in network namespaces with Debian's sshd and several
 * interfaces, of which not every one leads to the other node. Needs root.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noNamespaces } from '../../net/testing/lab.ts';
import { createTwoMachines, type TwoMachines } from '../testing/two-machines.ts';

let machines: TwoMachines;

describe.skipIf(noNamespaces !== undefined)(`in namespaces (${noNamespaces ?? 'root'})`, () => {
  beforeEach(async () => {
    machines = await createTwoMachines();
  });
  afterEach(() => machines.close());

  test('tries the SSH address and a firewalled one, uses the reachable one; if all are blocked, names both nodes', async () => {
    const {
      lab,
      control,
      over: { provisioner },
    } = machines;
    machines.cable('one', '198.19.204');
    machines.cable('two', '198.19.205');
    machines.drop('198.19.204.1');
    const ready = await provisioner.prepare(lab);
    expect(ready.master.host).toBe('198.19.205.1');
    expect(ready.nodes.map(({ address }) => address)).toEqual(['198.19.205.1', '198.19.205.2']);
    const log = provisioner
      .status(lab)[0]!
      .steps.find(({ id }) => id === 'network')!
      .log.join('\n');
    expect(log.indexOf(`--connect ${control}:`)).toBeGreaterThan(-1);
    expect(log.indexOf(`--connect ${control}:`)).toBeLessThan(log.indexOf('--connect 198.19.205.1:'));

    machines.drop('198.19.205.1');
    await expect(provisioner.prepare(lab)).rejects.toMatchObject({
      code: 'rank_unreachable',
      where: 'berta',
      params: { from: 'berta', to: 'anna' },
      detail: expect.stringMatching(/tried: .*198\.19\.204\.1.*/) as unknown,
    });
  });
});
