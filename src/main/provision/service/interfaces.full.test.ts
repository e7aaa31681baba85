/** Full test: two machines in network namespaces whose ranks really meet, with Debian's /etc/hosts. Needs root. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noNamespaces } from '../../net/testing/lab.ts';
import { rankCommand } from '../../run/launch/command.ts';
import { shellQuote } from '../../ssh/index.ts';
import { createTwoMachines, type TwoMachines } from '../testing/two-machines.ts';

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
});
