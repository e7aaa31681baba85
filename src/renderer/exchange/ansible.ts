/** Exports a lab as an Ansible inventory: its machines by group, with their SSH addresses. */
import { stringify } from 'yaml';
import { jumpWords } from '../../shared/lab/access.ts';
import { trainingNodes, type LabDocument, type LabNode } from '../../shared/lab/lab.ts';

type Variables = Record<string, string | number>;

/** Valid group names of Ansible; its own group names are reserved. */
function groupName(name: string): string {
  const plain = name
    .trim()
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^(\d)/, '_$1');
  return plain === '' || plain === 'all' || plain === 'ungrouped' ? `group_${plain}` : plain;
}

function reachedBy(node: LabNode): Variables {
  const { access } = node;
  // A local node's SSH server exists only while the app runs; its machine is this computer.
  if (access.type === 'local') return { ansible_connection: 'local' };
  const { authentication, jump } = access;
  return {
    ansible_host: access.host,
    ...(access.port === 22 ? {} : { ansible_port: access.port }),
    ...(access.user === '' ? {} : { ansible_user: access.user }),
    ...(authentication.method === 'key' ? { ansible_ssh_private_key_file: authentication.keyFile } : {}),
    ...(jump === undefined
      ? {}
      : {
          ansible_ssh_common_args: `-o ProxyJump=${jumpWords(access)}`,
        }),
  };
}

/** Labs hold no passwords, so inventories have none: `ansible-playbook --ask-pass` asks for them. */
export function toAnsible(lab: LabDocument): string {
  const taken = new Set<string>();
  const hostName = (node: LabNode): string => {
    const plain = node.name.trim().replace(/[^\p{L}\p{N}_.-]+/gu, '-') || node.id;
    let name = plain;
    for (let number = 2; taken.has(name); number += 1) name = `${plain}-${number}`;
    taken.add(name);
    return name;
  };
  const children: Record<string, { hosts: Record<string, Variables> }> = {};
  for (const [index, node] of trainingNodes(lab).entries()) {
    const group = (node.group ?? '') === '' ? 'ungrouped' : groupName(node.group ?? '');
    const { flavour, cpus } = node.placement;
    (children[group] ??= { hosts: {} }).hosts[hostName(node)] = {
      ...reachedBy(node),
      ringlab_position: index,
      ringlab_cpus: cpus,
      ringlab_gpus: node.kind === 'gpu' ? flavour.gpuCount : 0,
    };
  }
  return stringify({ all: { vars: { ringlab_lab: lab.name }, children } });
}
