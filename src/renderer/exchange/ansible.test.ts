// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { parse, parseDocument, visit } from 'yaml';
import type { Authentication, JumpHost } from '../../shared/lab/access.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { splitArguments } from '../../shared/lab/script-arguments.ts';
import { newSlurmTarget } from '../../shared/lab/where.ts';
import { toAnsible } from './index.ts';
import { lab, node } from './two-sites.fixture.ts';

it('an Ansible inventory has each machine in its group with its SSH address, and no switch', () => {
  expect(parse(toAnsible(lab))).toEqual({
    all: {
      vars: { ringlab_lab: 'Two sites <&> 实验' },
      children: {
        Site_A: {
          hosts: {
            'Lyon-1': { ansible_connection: 'local', ringlab_position: 0, ringlab_cpus: 4, ringlab_gpus: 1 },
            'Lyon-1-2': {
              ansible_host: 'gpu2.example',
              ansible_port: 2222,
              ansible_user: 'ada',
              ansible_ssh_private_key_file: '~/.ssh/id_lab',
              ansible_ssh_common_args: '-o ProxyJump=eve@bastion:22',
              ringlab_position: 1,
              ringlab_cpus: 4,
              ringlab_gpus: 1,
            },
          },
        },
        ungrouped: {
          hosts: {
            节点: { ansible_connection: 'local', ringlab_position: 2, ringlab_cpus: 4, ringlab_gpus: 0 },
          },
        },
      },
    },
  });
});

describe('an Ansible inventory', () => {
  const grouped = (...groups: string[]): LabDocument => ({
    ...lab,
    nodes: groups.map((group, index) => node(String(index), `n${index}`, { group })),
  });
  const groupsOf = (given: LabDocument): Record<string, string[]> => {
    const { all } = parse(toAnsible(given)) as {
      all: { children: Record<string, { hosts: Record<string, unknown> }> };
    };
    return Object.fromEntries(
      Object.entries(all.children).map(([name, { hosts }]) => [name, Object.keys(hosts)]),
    );
  };

  it('has one group for each of the lab’s, in every script', () => {
    expect(groupsOf(grouped('北京', '上海', 'Site A', 'Site-A', 'Site A', '3 B', 'all'))).toEqual({
      北京: ['n0'],
      上海: ['n1'],
      Site_A: ['n2', 'n4'],
      Site_A_2: ['n3'],
      _3_B: ['n5'],
      group_all: ['n6'],
    });
  });

  it('has groups and nodes with the names of an object’s properties', () => {
    const given = grouped('constructor', '__proto__');
    expect(groupsOf({ ...given, nodes: given.nodes.map((one) => ({ ...one, name: '__proto__' })) })).toEqual(
      Object.fromEntries([
        ['constructor', ['__proto__']],
        ['__proto__', ['__proto__-2']],
      ]),
    );
  });

  it('has names that Ansible’s YAML 1.1 would read as a truth value, a number or a date as texts', () => {
    const authentication = { method: 'agent' as const };
    for (const word of ['NO', '10_1', '1_000', '2026-11-30']) {
      const access = { type: 'ssh' as const, host: word, port: 22, user: word, authentication };
      const text = toAnsible({ ...lab, name: word, nodes: [node('1', word, { group: 'off', access })] });
      const read: unknown[] = [];
      visit(parseDocument(text, { version: '1.1' }), {
        Scalar: (_key, { value, source }) => {
          if (source === word || source === 'off') read.push(value);
        },
      });
      expect(read).toEqual([word, 'off', word, word, word]);
    }
  });

  it('holds no template and no option of ssh that a lab from elsewhere brings', () => {
    const evil = `{{ lookup('pipe', 'touch owned') }}`;
    const jump = {
      host: `b -o ProxyCommand='touch owned'`,
      port: 22,
      user: evil,
      authentication: { method: 'agent' as const },
    };
    const authentication = { method: 'key' as const, keyFile: `~/{% evil %}` };
    const text = toAnsible({
      ...lab,
      name: '{# evil #}',
      nodes: [
        node('1', evil, {
          group: evil,
          access: { type: 'ssh', host: `h${evil}`, port: 22, user: evil, authentication, jump },
        }),
      ],
    });
    const marked = new Map<string, string>();
    const unsafe = { tag: '!unsafe', resolve: (value: string) => (marked.set(value, value), value) };
    const read = JSON.stringify(parse(text, { customTags: [unsafe] }));
    const texts = [evil, `h${evil}`, authentication.keyFile, '{# evil #}'];
    const args = [...marked.keys()].find((one) => one.startsWith('-o ')) ?? '';
    expect(splitArguments(args)).toEqual({
      ok: true,
      words: ['-o', `ProxyJump=${evil}@${jump.host}:22`],
    });
    expect([...marked.keys()].toSorted()).toEqual([...texts, args].toSorted());
    // Nothing else of it is a template.
    for (const one of marked.keys()) expect(read).toContain(JSON.stringify(one));
    const rest = [...marked.keys()].reduce((left, one) => left.replaceAll(JSON.stringify(one), ''), read);
    expect(rest).not.toMatch(/\{[{%#]/);
  });

  it('has a jump host’s IPv6 address in brackets', () => {
    const authentication = { method: 'agent' as const };
    const jump = { host: '2001:db8::7', port: 22, user: 'eve', authentication };
    const access = { type: 'ssh' as const, host: 'h', port: 22, user: '', authentication, jump };
    const text = toAnsible({ ...lab, nodes: [node('1', 'n', { access })] });
    expect(text).toContain(`-o 'ProxyJump=eve@[2001:db8::7]:22'`);
  });

  const hostsOf = (given: LabDocument): Record<string, Record<string, unknown>> => {
    const { all } = parse(toAnsible(given)) as {
      all: { children: Record<string, { hosts: Record<string, Record<string, unknown>> }> };
    };
    return Object.assign({}, ...Object.values(all.children).map(({ hosts }) => hosts)) as Record<
      string,
      Record<string, unknown>
    >;
  };

  it('has all machines of a lab that trains on one of them', () => {
    for (const parallel of ['dp', 'none'] as const) {
      const given = { ...lab, experiment: { ...lab.experiment, parallel } };
      expect(Object.keys(hostsOf(given))).toEqual(['Lyon-1', 'Lyon-1-2', '节点']);
    }
  });

  it('has only the login node of a cluster, which its drawn nodes are reached through', () => {
    const target = newSlurmTarget();
    const login = { ...target.login, host: 'login.hpc', user: 'ada' };
    const given = { ...lab, experiment: { ...lab.experiment, where: { ...target, login } } };
    expect(hostsOf(given)).toEqual({ login: { ansible_host: 'login.hpc', ansible_user: 'ada' } });
  });

  it('is refused for Kubernetes, which logs in to no machine', () => {
    const where = { type: 'kubernetes' as const, image: '' };
    const given = { ...lab, experiment: { ...lab.experiment, where } };
    expect(() => toAnsible(given)).toThrow(expect.objectContaining({ code: 'inventory_none' }) as Error);
  });

  describe('through jump hosts with keys of their own', () => {
    const key = (keyFile: string): Authentication => ({ method: 'key', keyFile });
    const agent: Authentication = { method: 'agent' };
    const hop = (host: string, authentication: Authentication, more: Partial<JumpHost> = {}): JumpHost => ({
      ...{ host, port: 22, user: 'eve', authentication },
      ...more,
    });
    const argumentsFor = (jump: JumpHost): readonly string[] => {
      const access = { type: 'ssh' as const, host: 'h', port: 22, user: '', authentication: agent, jump };
      const host = hostsOf({ ...lab, nodes: [node('1', 'n', { access })] })['n'];
      const split = splitArguments(String(host?.['ansible_ssh_common_args']));
      return split.ok ? split.words : [];
    };
    /** The words of the shell that ssh starts, after it has replaced %h and %p. */
    const commandIn = (option: string | undefined, host: string, port: number): readonly string[] => {
      const command = (option ?? '')
        .replace(/^ProxyCommand=/, '')
        .replace(/%([%hp])/g, (_, letter: string) => ({ h: host, p: String(port) })[letter] ?? '%');
      const split = splitArguments(command);
      return split.ok ? split.words : [];
    };

    it('uses the key', () => {
      const [flag, option] = argumentsFor(hop('fe80::1%eth0', key(`~/my 'jump' key; x`), { port: 2222 }));
      expect(flag).toBe('-o');
      expect(commandIn(option, 'h', 22)).toEqual([
        ...['ssh', '-i', `~/my 'jump' key; x`, '-l', 'eve', '-p', '2222', '-W', '[h]:22', '--'],
        'fe80::1%eth0',
      ]);
    });

    it('uses the key of each one, in their order', () => {
      const [, option] = argumentsFor(hop('b', agent, { jump: hop('a', key('~/a')) }));
      const outer = commandIn(option, 'h', 22);
      expect([outer.slice(0, 2), outer.slice(3)]).toEqual([
        ['ssh', '-o'],
        ['-l', 'eve', '-p', '22', '-W', '[h]:22', '--', 'b'],
      ]);
      expect(commandIn(outer[2], 'b', 22)).toEqual([
        ...['ssh', '-i', '~/a', '-l', 'eve', '-p', '22', '-W', '[b]:22', '--', 'a'],
      ]);
    });

    it('stays short with very many', () => {
      let jump = hop('a', key('~/a'));
      for (let count = 0; count < 40; count += 1) jump = hop('b', key('~/b'), { jump });
      expect(argumentsFor(jump).join(' ').length).toBeLessThan(30_000);
    });
  });
});
