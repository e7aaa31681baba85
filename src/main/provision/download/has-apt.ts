/** Whether a node has apt, with which the app installs packages. */
import type { NodeFacts } from '../../../shared/node/provision.ts';

/** Those of which facts of earlier versions, which say no more than the name, are believed. */
const aptSystems = new Set(['debian', 'ubuntu', 'linuxmint', 'pop', 'raspbian', 'devuan', 'kali']);

export const hasApt = ({ apt, system }: Pick<NodeFacts, 'apt' | 'system'>): boolean =>
  apt ?? aptSystems.has(system.id);
