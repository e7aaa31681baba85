/**
 * Tests with real NAT and firewalls: `berta` has a direct address, `anna` is behind a router that forwards one port
 * to its SSH server. Both run Debian's sshd. Needs root and nft.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noNamespaces } from '../../net/testing/lab.ts';
import { startSshd, type Sshd } from '../../ssh/testing/sshd.ts';
import { ownerOf } from '../../net/index.ts';
import { interfaceName, tunnelFolder } from './tunnel/index.ts';
import { createOverSsh, labOver, type OverSsh } from '../testing/over-ssh.ts';

const own = process.pid.toString(36);
const [inner, router, outer] = [`rlna-${own}-i`, `rlna-${own}-r`, `rlna-${own}-o`];
const cables = [`rlna${own}r`, `rlna${own}o`] as const;
const cannot =
  noNamespaces ?? (existsSync('/usr/sbin/nft') ? undefined : 'nft is missing: apt-get install nftables');

const withoutTunnel = !existsSync('/usr/bin/wg') || !existsSync('/usr/bin/wireguard-go');

const sh = (script: string): string => execFileSync('sh', ['-ec', script], { encoding: 'utf8' });
const rules = (namespace: string, text: string): void =>
  void execFileSync('ip', ['netns', 'exec', namespace, 'nft', '-f', '-'], { input: text });

let anna: Sshd;
let berta: Sshd;
let over: OverSsh;

describe.skipIf(cannot !== undefined)(`in namespaces (${cannot ?? 'root, nft'})`, () => {
  beforeEach(async () => {
    sh(`for name in ${inner} ${router} ${outer}; do ip netns add $name; ip -n $name link set lo up; done
      join() { # from a namespace ('' is this computer's own) to another, with an address each
        ip \${1:+-n $1} link add $2 type veth peer name $5 netns $4
        ip \${1:+-n $1} addr add $3/24 dev $2; ip \${1:+-n $1} link set $2 up
        ip -n $4 addr add $6/24 dev $5; ip -n $4 link set $5 up
      }
      join '' ${cables[0]} 198.19.211.1 ${router} control 198.19.211.2
      join '' ${cables[1]} 198.19.212.1 ${outer} control 198.19.212.2
      join ${router} wan 198.19.213.1 ${outer} wan 198.19.213.2
      join ${router} lan 198.19.214.1 ${inner} lan 198.19.214.2
      ip -n ${inner} route add default via 198.19.214.1
      ip netns exec ${router} sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'`);
    rules(
      router,
      `table ip nat {
        chain in { type nat hook prerouting priority dstnat; iifname "control" tcp dport 2222 dnat to 198.19.214.2:22; }
        chain out { type nat hook postrouting priority srcnat; oifname { "wan", "lan" } masquerade; }
      }`,
    );
    anna = await startSshd({
      address: '198.19.214.2',
      port: 22,
      through: ['ip', 'netns', 'exec', inner],
      forwarded: { host: '198.19.211.2', port: 2222 },
    });
    berta = await startSshd({ address: '198.19.212.2', through: ['ip', 'netns', 'exec', outer] });
    over = createOverSsh();
  });
  afterEach(async () => {
    await over.close();
    await anna.stop();
    await berta.stop();
    for (const cable of cables) sh(`ip link del ${cable} 2>/dev/null || :`);
    for (const name of [inner, router, outer]) sh(`ip netns del ${name} 2>/dev/null || :`);
  });

  const behindNat = {
    code: 'node_behind_nat',
    where: 'anna',
    params: { from: 'berta', node: 'anna', ssh: '198.19.211.2:2222' },
  };

  test('the node behind NAT is reported with its SSH address, whether it is rank 0 or not', async () => {
    const lab = await labOver({ berta, anna });
    await expect(over.provisioner.prepare(lab)).rejects.toMatchObject({
      ...behindNat,
      params: { ...behindNat.params, address: expect.stringMatching(/^198\.19\.214\.2:\d+$/) as unknown },
    });
    // It reaches rank 0: only the opposite direction is blocked.
    const [first, second] = over.provisioner.status(lab);
    expect(first?.steps.at(-1)).toMatchObject({ id: 'network', state: 'done' });
    expect(second?.steps.at(-1)).toMatchObject({ id: 'network', state: 'failed', error: behindNat });
    const turned = { ...lab, nodes: lab.nodes.toReversed() };
    await expect(over.provisioner.prepare(turned)).rejects.toMatchObject(behindNat);
  });

  test('a second network, such as a VPN, is found; a firewall that blocks it is reported', async () => {
    sh(`ip -n ${inner} link add vpn type veth peer name vpn netns ${outer}
      ip -n ${inner} addr add 198.19.215.1/24 dev vpn; ip -n ${inner} link set vpn up
      ip -n ${outer} addr add 198.19.215.2/24 dev vpn; ip -n ${outer} link set vpn up`);
    const lab = await labOver({ anna, berta });
    const ready = await over.provisioner.prepare(lab);
    expect(ready.nodes.map(({ address }) => address)).toEqual(['198.19.215.1', '198.19.215.2']);
    rules(
      outer,
      'table ip filter { chain in { type filter hook input priority 0; ct state established,related accept; iifname "vpn" drop; }; }',
    );
    await expect(over.provisioner.prepare(lab)).rejects.toMatchObject({
      code: 'peer_unreachable',
      where: 'berta',
      params: {
        from: 'anna',
        to: 'berta',
        address: expect.stringMatching(/^198\.19\.215\.2:\d+$/) as unknown,
      },
    });
  });

  test.skipIf(withoutTunnel)(
    'in an encrypted lab a node that lets no connections in through the tunnel is reported, and NAT does not matter',
    async () => {
      const drawn = await labOver({ berta, anna });
      const lab = { ...drawn, id: `nat-${own}`, experiment: { ...drawn.experiment, encrypt: true } };
      try {
        const [, second] = (await over.provisioner.prepare(lab)).nodes;
        rules(
          inner,
          'table inet filter { chain in { type filter hook input priority 0; ct state established,related accept; iifname "rlwg*" tcp dport 1024-65535 drop; }; }',
        );
        await expect(over.provisioner.prepare(lab)).rejects.toMatchObject({
          code: 'peer_unreachable',
          where: 'anna',
          params: {
            from: 'berta',
            to: 'anna',
            address: expect.stringContaining(`${second?.address ?? ''}:`) as unknown,
          },
        });
      } finally {
        for (const [index, space] of [outer, inner].entries()) {
          const name = interfaceName(ownerOf(over.dataFolder), lab.id, lab.nodes[index]?.id ?? '');
          sh(`ip -n ${space} link del ${name} 2>/dev/null || :; rm -f ${tunnelFolder}/${name}.*`);
        }
      }
    },
  );
});
