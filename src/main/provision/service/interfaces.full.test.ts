/**
 * Full test: two machines in network namespaces with Debian's sshd and several interfaces, of which not every one leads to the
 * other; ranks that really meet, with Debian's /etc/hosts. Needs root.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noNamespaces } from '../../net/testing/lab.ts';
import { rankCommand } from '../../run/launch/command.ts';
import { shellQuote } from '../../ssh/index.ts';
import { createTwoMachines, type TwoMachines } from '../testing/two-machines.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

let machines: TwoMachines;

describe.skipIf(noNamespaces !== undefined)(`in namespaces (${noNamespaces ?? 'root'})`, () => {
  beforeEach(async () => {
    machines = await createTwoMachines();
  });
  afterEach(() => machines.close());

  test('two ranks connect although each host name resolves to 127.0.1.1, as in Debian’s /etc/hosts', async () => {
    const { lab, over } = machines;
    machines.cable('data', '198.19.206');
    const ready = await over.provisioner.prepare(lab);
    expect(ready.nodes.map(({ address }) => address)).toEqual(['198.19.206.1', '198.19.206.2']);
    const ends = await Promise.all(
      ready.nodes.map(async ({ node, facts }, rank) => {
        expect(facts.hostname).toMatch(/^rlif-.*-host$/);
        const session = await over.session(lab, node.id);
        expect((await session.run('getent ahostsv4 "$(uname -n)"')).trim()).toMatch(/^127\.0\.1\.1 /);
        const { argv, env } = rankCommand(lab, ready, rank, 2);
        const variables = Object.entries(env).map(([name, value]) => `${name}=${shellQuote(value)}`);
        return session.exec(
          `mkdir -p rank && cd rank && env ${[...variables, ...argv.map(shellQuote)].join(' ')}`,
          { timeoutMs: 120_000 },
        );
      }),
    );
    expect(ends.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0]);
  });

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
    const log = linesIn(provisioner.status(lab)[0]!.steps.find(({ id }) => id === 'network')!.log, 'en');
    expect(log.indexOf(`--connect ${control}:`)).toBeGreaterThan(-1);
    expect(log.indexOf(`--connect ${control}:`)).toBeLessThan(log.indexOf('--connect 198.19.205.1:'));

    machines.drop('198.19.205.1');
    await expect(provisioner.prepare(lab)).rejects.toMatchObject({
      code: 'rank_unreachable',
      where: 'berta',
      params: { from: 'berta', to: 'anna' },
      detail: expect.stringContaining('198.19.204.1') as unknown,
    });
  });
});
