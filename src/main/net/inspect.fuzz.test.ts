/** Fuzzed output of `ip` about namespaces, links and routes: parsed, or refused as a RinglabError. */
import { expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { forEachCase, fuzzTimeout, mutateText, mutateTree } from '../../shared/testing/fuzz.ts';
import { freeBlock, inspect } from './inspect.ts';

const links = [
  { ifindex: 1, ifname: 'lo', flags: ['LOOPBACK'], mtu: 65536 },
  { ifindex: 7, ifname: 'rlm0', ifalias: 'ringlab 0123456789abcdef lab node 0123456789abcdef', mtu: 1500 },
];
const routes = [
  { dst: 'default', gateway: '10.0.0.1', dev: 'eth0' },
  { dst: '10.0.0.0/24', dev: 'eth0' },
  { type: 'local', dst: '127.0.0.1', dev: 'lo' },
];

it('links and routes', { timeout: fuzzTimeout() }, () =>
  forEachCase('ip -j', async (random) => {
    const json = (tree: unknown): string =>
      JSON.stringify(random.chance(0.5) ? mutateTree(tree, random) : tree);
    const good = `namespace\tringlab-lab-n1\t0\t${links[1]?.ifalias ?? ''}\nlinks\t${json(links)}\nroutes\t${json(routes)}\n`;
    const stdout = random.chance(0.5)
      ? mutateText(good, random, ['\t', 'links\t', 'null', '[', '/33'])
      : good;
    const shell = {
      run: () => Promise.resolve({ code: 0, signal: null, stdout, stderr: '' }),
      prefix: [],
    };
    try {
      const { namespaces, hostNetworks } = await inspect(shell);
      for (const { name } of namespaces) expect(name.length).toBeLessThan(100_000);
      for (const { value, bits } of hostNetworks) {
        expect(value >= 0 && value < 2 ** 32).toBe(true);
        expect(bits >= 0 && bits <= 32).toBe(true);
      }
      freeBlock(hostNetworks, (block) => block * 1024, 128);
    } catch (error) {
      if (!(error instanceof RinglabError)) throw error;
    }
  }),
);
