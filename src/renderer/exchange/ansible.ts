/** Exports a lab as an Ansible inventory: its machines by group, with their SSH addresses. */
import { Scalar, stringify } from 'yaml';
import { jumpWords } from '../../shared/lab/access.ts';
import { joinArguments } from '../../shared/lab/script-arguments.ts';
import { trainingNodes, type LabDocument, type LabNode } from '../../shared/lab/lab.ts';

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

function reachedBy(node: LabNode): Variables {
  const { access } = node;
  // A local node's SSH server exists only while the app runs; its machine is this computer.
  if (access.type === 'local') return { ansible_connection: 'local' };
  const { authentication, jump } = access;
  return {
    ansible_host: literal(access.host),
    ...(access.port === 22 ? {} : { ansible_port: access.port }),
    ...(access.user === '' ? {} : { ansible_user: literal(access.user) }),
    ...(authentication.method === 'key'
      ? { ansible_ssh_private_key_file: literal(authentication.keyFile) }
      : {}),
    ...(jump === undefined
      ? {}
      : {
          // Ansible splits it as a shell does: a space in a host would begin another option of ssh.
          ansible_ssh_common_args: literal(joinArguments(['-o', `ProxyJump=${jumpWords(access)}`])),
        }),
  };
}

/** Labs hold no passwords, so inventories have none: `ansible-playbook --ask-pass` asks for them. */
export function toAnsible(lab: LabDocument): string {
  const uniqueHost = uniqueNames('-');
  const uniqueGroup = uniqueNames('_');
  const groups = new Map<string, { name: string; hosts: Map<string, Variables> }>();
  for (const [index, node] of trainingNodes(lab).entries()) {
    const drawn = node.group?.trim() ?? '';
    const group = groups.get(drawn) ?? {
      name: drawn === '' ? 'ungrouped' : uniqueGroup(groupName(drawn)),
      hosts: new Map<string, Variables>(),
    };
    groups.set(drawn, group);
    const { flavour, cpus } = node.placement;
    const host = uniqueHost(node.name.trim().replace(/[^\p{L}\p{N}_.-]+/gu, '-') || node.id);
    group.hosts.set(host, {
      ...reachedBy(node),
      ringlab_position: index,
      ringlab_cpus: cpus,
      ringlab_gpus: node.kind === 'gpu' ? flavour.gpuCount : 0,
    });
  }
  // Maps: a group or a node may be called as a property of every object is.
  const children = new Map([...groups.values()].map(({ name, hosts }) => [name, { hosts }]));
  // Ansible reads YAML 1.1, in which `NO`, `10_1` and a date without quotes are no texts.
  return stringify({ all: { vars: { ringlab_lab: literal(lab.name) }, children } }, { compat: 'yaml-1.1' });
}
