/** Exports a lab as an Ansible inventory: its machines by group, with their SSH addresses. */
import { Scalar, stringify } from 'yaml';
import { RinglabError } from '../../shared/base/errors.ts';
import {
  jumpHosts,
  jumpWords,
  type Access,
  type Authentication,
  type JumpHost,
} from '../../shared/lab/access.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { clusterOf } from '../../shared/lab/reached.ts';
import { joinArguments } from '../../shared/lab/script-arguments.ts';

type Variables = Record<string, string | number | Scalar<string>>;

/** A name or an address of the lab, which is no template: Ansible would evaluate one on the computer that it runs on. */
function literal(text: string): string | Scalar<string> {
  if (!/\{[{%#]/.test(text)) return text;
  const scalar = new Scalar(text);
  scalar.tag = '!unsafe';
  return scalar;
}

/** Finds names that no two parts share. */
function uniqueNames(separator: string): (plain: string) => string {
  const taken = new Set<string>();
  return (plain) => {
    let name = plain;
    for (let number = 2; taken.has(name); number += 1) name = `${plain}${separator}${number}`;
    taken.add(name);
    return name;
  };
}

/** With letters of every script, as Ansible takes them; its own group names are reserved. */
function groupName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}_]+/gu, '_').replace(/^\p{N}/u, '_$&');
  return plain === 'all' || plain === 'ungrouped' ? `group_${plain}` : plain;
}

/** The key of its own that a machine is logged in to with, if there is one. */
const keyOf = (authentication: Authentication): string =>
  authentication.method === 'key' ? authentication.keyFile.trim() : '';

/** Each command within another one is quoted once more, which makes it about four times as long. */
const maxNested = 5;

/** Options by which ssh reaches a machine behind jump hosts. */
function jumpOptions(target: { readonly jump?: JumpHost | undefined }, nested = 0): string[] {
  const { jump } = target;
  if (jump === undefined) return [];
  const hasKeys = jumpHosts<JumpHost>(target).some(({ authentication }) => keyOf(authentication) !== '');
  // With ProxyJump, jump hosts are logged in to with the user's default keys: it has no place for a key file.
  return hasKeys && nested < maxNested
    ? ['-o', `ProxyCommand=${commandThrough(jump, nested + 1)}`]
    : ['-o', `ProxyJump=${jumpWords(target)}`];
}

/** The command that connects ssh through a jump host. A shell runs it, after ssh has replaced what follows a per cent sign. */
function commandThrough(jump: JumpHost, nested: number): string {
  const key = keyOf(jump.authentication);
  const words = [
    ...['ssh', ...jumpOptions(jump, nested)],
    ...(key === '' ? [] : ['-i', key]),
    ...(jump.user === '' ? [] : ['-l', jump.user]),
    ...['-p', String(jump.port)],
  ].map((word) => word.replaceAll('%', '%%'));
  return joinArguments([...words, '-W', '[%h]:%p', '--', jump.host.replaceAll('%', '%%')]);
}

function reachedBy(access: Access): Variables {
  // A local node's SSH server exists only while the app runs; its machine is this computer.
  if (access.type === 'local') return { ansible_connection: 'local' };
  const key = keyOf(access.authentication);
  const jump = jumpOptions(access);
  return {
    ansible_host: literal(access.host),
    ...(access.port === 22 ? {} : { ansible_port: access.port }),
    ...(access.user === '' ? {} : { ansible_user: literal(access.user) }),
    ...(key === '' ? {} : { ansible_ssh_private_key_file: literal(key) }),
    // Ansible splits it as a shell does: a space in a host would begin another option of ssh.
    ...(jump.length === 0 ? {} : { ansible_ssh_common_args: literal(joinArguments(jump)) }),
  };
}

/** What is a machine of its own, with the names that the drawing gives it. */
interface Machine {
  readonly name: string;
  readonly group: string;
  readonly variables: Variables;
}

/** @throws inventory_none where all machines are a Kubernetes cluster's: none of them is logged in to */
function machinesOf(lab: LabDocument): Machine[] {
  const cluster = clusterOf(lab);
  if (cluster?.type === 'kubernetes') throw new RinglabError('inventory_none', {});
  // The scheduler chooses the machines of drawn nodes: only the login node is known.
  if (cluster !== undefined) return [{ name: 'login', group: '', variables: reachedBy(cluster.login) }];
  return lab.nodes
    .filter(({ kind }) => kind !== 'switch')
    .map(({ id, name, kind, group, access, placement }, index) => ({
      name: name.trim().replace(/[^\p{L}\p{N}_.-]+/gu, '-') || id,
      group: group?.trim() ?? '',
      variables: {
        ...reachedBy(access),
        ringlab_position: index,
        ringlab_cpus: placement.cpus,
        ringlab_gpus: kind === 'gpu' ? placement.flavour.gpuCount : 0,
      },
    }));
}

/**
 * Labs hold no passwords, so inventories have none: `ansible-playbook --ask-pass` asks for them.
 *
 * @throws inventory_none for a lab on Kubernetes
 */
export function toAnsible(lab: LabDocument): string {
  const uniqueHost = uniqueNames('-');
  const uniqueGroup = uniqueNames('_');
  const groups = new Map<string, { name: string; hosts: Map<string, Variables> }>();
  for (const { name, group: drawn, variables } of machinesOf(lab)) {
    const group = groups.get(drawn) ?? {
      name: drawn === '' ? 'ungrouped' : uniqueGroup(groupName(drawn)),
      hosts: new Map<string, Variables>(),
    };
    groups.set(drawn, group);
    group.hosts.set(uniqueHost(name), variables);
  }
  // Maps: a group or a node may be called as a property of every object is.
  const children = new Map([...groups.values()].map(({ name, hosts }) => [name, { hosts }]));
  // Ansible reads YAML 1.1, in which `NO`, `10_1` and a date without quotes are no texts.
  return stringify({ all: { vars: { ringlab_lab: literal(lab.name) }, children } }, { compat: 'yaml-1.1' });
}
