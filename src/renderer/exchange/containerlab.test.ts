// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { LabDocument } from '../../shared/lab/lab.ts';
import { RinglabError } from '../../shared/base/errors.ts';
import { checkLab } from '../../shared/lab/lab-check.ts';
import { fromContainerlab as readFile } from './containerlab.ts';
import { toContainerlab } from './index.ts';
import { lab, node } from './two-sites.fixture.ts';

const fromContainerlab = (text: string, where: string): LabDocument => readFile(text, where).lab;

describe('containerlab', () => {
  it('exports and imports a lab without loss: nodes, links, positions, groups, GPUs', () => {
    const text = toContainerlab(lab);
    const again = LabDocument.parse(fromContainerlab(text, 'lab.clab.yml'));
    expect(again.nodes.map(({ name, kind, group, position }) => [name, kind, group, position.x])).toEqual([
      ['Lyon 1', 'gpu', 'Site A', 40],
      ['Lyon-1', 'gpu', 'Site A', 80],
      ['S1', 'switch', undefined, 120],
      ['节点', 'cpu', undefined, 160],
    ]);
    expect(
      again.links.map((link) => [link.bandwidthMbps, link.delayMs, link.jitterMs, link.lossPercent]),
    ).toEqual([
      [10, 20, 3, 0.5],
      [1000, 0, undefined, 0],
    ]);
    const said = parse(text) as { name: string; topology: { links: { endpoints: string[] }[] } };
    expect(said.name).toBe('Two-sites');
    expect(said.topology.links[0]?.endpoints).toEqual(['Lyon-1:eth1', 'S1:rl-1']);
    expect(said.topology.links[1]?.endpoints).toEqual(['S1:rl-2', 'Lyon-1-2:eth1']);
  });

  it('gives no two ports of bridges one name: all are interfaces of the host', () => {
    const two = {
      ...lab,
      nodes: [...lab.nodes, node('5', 'S2', { kind: 'switch' })],
      links: [...lab.links, { ...lab.links[1]!, id: 'c', ends: ['3', '5'] as [string, string] }],
    };
    const { topology } = parse(toContainerlab(two)) as { topology: { links: { endpoints: string[] }[] } };
    const ports = topology.links.flatMap(({ endpoints }) => endpoints.filter((end) => /^S\d:/.test(end)));
    expect(ports).toEqual(['S1:rl-1', 'S1:rl-2', 'S1:rl-3', 'S2:rl-4']);
  });

  it('gives each imported lab an id of its own: runs, deleted labs and kept values belong to an id', () => {
    const text = toContainerlab(lab);
    expect(fromContainerlab(text, 'x.yml').id).not.toBe(fromContainerlab(text, 'x.yml').id);
  });

  it('reads keys that are merged from an anchor', () => {
    const text = `
x-gpu: &gpu { kind: linux, image: "cuda:12", labels: { gpus: 2 } }
topology:
  nodes:
    a: { <<: *gpu }
    b: { <<: *gpu, image: "own:1" }
  links: [{ endpoints: ["a:eth1", "b:eth1"] }]
`;
    const read = fromContainerlab(text, 'x.yml');
    expect(
      read.nodes.map(({ kind, placement }) => [kind, placement.image, placement.flavour.gpuCount]),
    ).toEqual([
      ['gpu', 'cuda:12', 2],
      ['gpu', 'own:1', 2],
    ]);
  });

  it('keeps the order of nodes, the first of which has rank 0, where names are numbers', () => {
    const names = ['12', 'N1', '7', '3'];
    const numbered = { ...lab, nodes: names.map((name, i) => node(`${i + 1}`, name)), links: [] };
    const again = fromContainerlab(toContainerlab(numbered), 'x.yml');
    expect(again.nodes.map(({ id, name }) => [id, name])).toEqual(
      names.map((name, i) => [`n-${i + 1}`, name]),
    );
    const text = `topology: { nodes: { 10: , 2: { kind: bridge }, a: , 1: }, links: [{ endpoints: ["2:a", "1:b"] }] }`;
    const read = fromContainerlab(text, 'x.yml');
    expect(read.nodes.map(({ name }) => name)).toEqual(['10', '2', 'a', '1']);
    expect(read.links.map(({ ends }) => ends)).toEqual([['n-2', 'n-4']]);
  });

  it('reads a file as containerlab’s documentation shows it, and lays it out', () => {
    const text = `
name: srl02
topology:
  kinds:
    nokia_srlinux: { type: ixrd3, image: ghcr.io/nokia/srlinux }
  nodes:
    srl1: { kind: nokia_srlinux }
    srl2: { kind: nokia_srlinux }
    br: { kind: bridge }
    plain:
  links:
    - endpoints: ["srl1:e1-1", "srl2:e1-1"]
    - type: veth
      endpoints: [{ node: srl2, interface: e1-2 }, { node: br, interface: e1 }]
    - endpoints: ["srl1:e1-3", "host:srl1_e1-3"]
`;
    const read = LabDocument.parse(fromContainerlab(text, 'x.yml'));
    expect(read.nodes.map(({ name, kind }) => [name, kind])).toEqual([
      ['srl1', 'switch'],
      ['srl2', 'switch'],
      ['br', 'switch'],
      ['plain', 'cpu'],
    ]);
    expect(read.nodes[0]?.placement.image).toBe('ghcr.io/nokia/srlinux');
    expect(read.links.map(({ ends }) => ends)).toEqual([
      ['n-1', 'n-2'],
      ['n-2', 'n-3'],
    ]);
    expect(new Set(read.nodes.map(({ position }) => `${position.x} ${position.y}`)).size).toBe(4);
  });

  it('reads variables of links that are lists, and names that are numbers, which Go reads as texts', () => {
    const text = `
name: 7
topology:
  nodes:
    a: { image: 3.5, group: 1 }
    b:
  links:
    - endpoints: ["a:e1", { node: b, interface: 2 }]
      vars: { port: [1/1/c1/1, 1/1/c2/1], isis: { level: 2 }, delayMs: 5 }
`;
    const read = fromContainerlab(text, 'x.yml');
    expect(read.name).toBe('7');
    expect(read.nodes[0]).toMatchObject({ group: '1', placement: { image: '3.5' } });
    expect(read.links.map(({ delayMs }) => delayMs)).toEqual([5]);
  });

  it('draws one link for several between the same nodes, as a lab cannot run with two, and says which it left out', () => {
    const text = `
topology:
  nodes: { srl: , ceos: , other: }
  links:
    - endpoints: ["srl:e1", "ceos:e1"]
    - endpoints: ["ceos:e2", "srl:e2"]
    - endpoints: ["srl:e3", "other:e1"]
    - endpoints: ["srl:e4", "mgmt-net:srl"]
    - type: host
      endpoint: { node: other, interface: e2 }
      host-interface: other-e2
    - endpoints: [{ node: other, interface: e3 }, { node: other, interface: e4 }]
`;
    const { lab: read, leftOut } = readFile(text, 'x.yml');
    expect(leftOut).toEqual(['ceos:e2 – srl:e2', 'srl:e4 – mgmt-net:srl', 'other:e2', 'other:e3 – other:e4']);
    expect(read.links.map(({ id, ends }) => [id, ends])).toEqual([
      ['l-1', ['n-1', 'n-2']],
      ['l-3', ['n-1', 'n-3']],
    ]);
    expect(checkLab(read).map(({ code }) => code)).not.toContain('link_duplicate');
  });

  it('takes kind, image, group and labels from the node, its group, its kind and the defaults, in this order', () => {
    const text = `
topology:
  defaults: { group: rest, image: "any:1", labels: { gpus: 1 } }
  kinds:
    linux: { image: "linux:1", labels: { gpus: 4 } }
    ceos: { group: sw }
  groups:
    sw: { kind: bridge }
    big: { kind: linux, image: "big:1", labels: { gpus: 8 } }
  nodes:
    br0: { group: sw }
    placed: { kind: linux, labels: { graph-posX: 40, graph-posY: 60 } }
    large: { group: big }
    own: { group: big, image: "own:1", labels: { gpus: 2 } }
    switch: { kind: ceos }
    constructor:
`;
    const read = fromContainerlab(text, 'x.yml');
    expect(
      read.nodes.map(({ name, kind, group, placement }) => [
        name,
        kind,
        group,
        placement.image,
        placement.flavour.gpuCount,
      ]),
    ).toEqual([
      ['br0', 'switch', 'sw', 'any:1', 0],
      ['placed', 'gpu', 'rest', 'linux:1', 4],
      ['large', 'gpu', 'big', 'big:1', 8],
      ['own', 'gpu', 'big', 'own:1', 2],
      ['switch', 'switch', 'sw', 'any:1', 0],
      ['constructor', 'gpu', 'rest', 'linux:1', 4],
    ]);
  });

  it('takes routers and switches, which forward only, as switches', () => {
    const kinds = ['nokia_srlinux', 'nokia_sros', 'srl', 'ceos', 'arista_ceos', 'vr-xrv9k', 'cisco_xrd'];
    const more = ['juniper_crpd', 'sonic-vs', 'bridge', 'ovs-bridge', 'linux', 'generic_vm', 'ext-container'];
    const nodes = Object.fromEntries([...kinds, ...more].map((kind) => [kind, { kind }]));
    const images = {
      frr: { image: 'quay.io/frrouting/frr:9.1' },
      bird: { image: 'bird' },
      own: { image: 'registry/frr-training:1' },
      gpu: { image: 'frrouting/frr:9.1', labels: { gpus: 1 } },
    };
    const read = fromContainerlab(stringify({ topology: { nodes: { ...nodes, ...images } } }), 'x.yml');
    expect(read.nodes.filter(({ kind }) => kind !== 'switch').map(({ name, kind }) => [name, kind])).toEqual([
      ['linux', 'cpu'],
      ['generic_vm', 'cpu'],
      ['ext-container', 'cpu'],
      ['own', 'cpu'],
      ['gpu', 'gpu'],
    ]);
  });

  it('keeps the kinds of nodes, whatever their GPUs, and names in every script', () => {
    const { placement } = node('1', '');
    const without = { ...placement, flavour: { ...placement.flavour, gpuCount: 0 } };
    const given = {
      ...lab,
      name: '实验',
      nodes: [
        node('1', '甲', { kind: 'cpu', placement }),
        node('2', '乙', { placement: without }),
        node('3', '核心', { kind: 'switch' }),
      ],
      links: [],
    };
    const text = toContainerlab(given);
    const again = fromContainerlab(text, 'x.yml');
    expect(
      again.nodes.map(({ name, kind, placement: { flavour } }) => [name, kind, flavour.gpuCount]),
    ).toEqual([
      ['甲', 'cpu', 0],
      ['乙', 'gpu', 0],
      ['核心', 'switch', 0],
    ]);
    const said = parse(text) as { name: string; topology: { nodes: Record<string, { labels: object }> } };
    expect(said.name).toBe('lab');
    expect(said.topology.nodes['node']?.labels).not.toHaveProperty('gpus');
  });

  it('gives bridges names that Linux takes for an interface', () => {
    const named = ['core-switch-of-rack-1', 'core-switch-of-rack-2', 'core-switch-of', 'core-switch-o-2'];
    const given = {
      ...lab,
      nodes: named.map((name, at) => node(`${at}`, name, { kind: 'switch' })),
      links: [],
    };
    const said = parse(toContainerlab(given)) as { topology: { nodes: object } };
    const names = Object.keys(said.topology.nodes);
    expect(names).toHaveLength(4);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(15);
    expect(fromContainerlab(toContainerlab(given), 'x.yml').nodes.map(({ name }) => name)).toEqual(named);
  });

  it('refuses an invalid topology, with the path', () => {
    const refusal = (text: string): unknown[] => {
      try {
        fromContainerlab(text, 'x.yml');
      } catch (error) {
        if (error instanceof RinglabError) return [error.code, error.params.path];
      }
      throw new Error('it was taken');
    };
    expect(refusal('a: [')).toEqual(['lab_unreadable', undefined]);
    expect(refusal('name: x\ntopology: { nodes: 3 }')).toEqual(['lab_invalid', 'topology.nodes']);
    const link = 'endpoints: ["a:1", "b:1"], vars: {bandwidthMbps: -1}';
    expect(refusal(`topology:\n  nodes: {a: {}, b: {}}\n  links: [{${link}}]`)).toEqual([
      'lab_invalid',
      'topology.links[0].bandwidthMbps',
    ]);
  });
});
