/** Plans the changes that bring a lab's emulated network from its current to its drawn state, as scripts. Pure. */
import { RinglabError } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { NetworkChange } from './contract.ts';
import { freeBlock, type Standing } from './inspect.ts';
import type { NetworkPlan } from './plan.ts';
import { shapesOf } from './reshaped.ts';
import {
  buildScript,
  managementAddresses,
  managementBlocks,
  removeScript,
  routesScript,
  shapeScript,
} from './script.ts';
import type { KernelMeans } from './shaping.ts';

export const isWhole = (plan: NetworkPlan, found: Standing['namespaces']): boolean =>
  found.length === plan.nodes.length && found.every(({ mark }) => mark.structure === plan.structure);

export interface Changes {
  /** The namespaces of a lab that belong to this data folder. */
  ours(standing: Standing, labId: string): Standing['namespaces'];
  /** Removes everything of a lab's network; empty where there is nothing. */
  takeDownScript(standing: Standing, labId: string): string;
  /**
   * The scripts, in order. Throws network_in_use.
   * @param now the plan while links of an existing network are down
   */
  changesTo(
    lab: LabDocument,
    plan: NetworkPlan,
    means: KernelMeans,
    standing: Standing,
    now?: NetworkPlan,
  ): NetworkChange[];
}

/** @param owner identifies this data folder's namespaces */
export function createChanges(owner: string): Changes {
  const ours = (standing: Standing, labId: string): Standing['namespaces'] =>
    standing.namespaces.filter(({ mark }) => mark.owner === owner && mark.labId === labId);
  const takeDownScript = (standing: Standing, labId: string): string => {
    const devices = standing.hostDevices.filter(({ mark }) => mark.owner === owner && mark.labId === labId);
    const names = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name);
    return removeScript(names(ours(standing, labId)), names(devices));
  };
  const changesTo = (
    lab: LabDocument,
    plan: NetworkPlan,
    means: KernelMeans,
    standing: Standing,
    now = plan,
  ): NetworkChange[] => {
    if (isWhole(plan, ours(standing, lab.id)))
      return [
        {
          what: 'shape',
          script: `${shapeScript(now, now.links, shapesOf(lab), means)}${routesScript(now)}`,
        },
      ];
    const busy = ours(standing, lab.id).filter((namespace) => namespace.busy);
    if (busy.length > 0) {
      const namespaces = busy.map(({ name }) => name).join(', ');
      throw new RinglabError('network_in_use', { namespaces }, { where: lab.name });
    }
    const others = standing.hostNetworks.filter(({ bits }) => bits >= 8);
    const block = freeBlock(others, (number) => firstOf(number), managementBlocks);
    const before = takeDownScript(standing, lab.id);
    return [
      ...(before.trim() === '' ? [] : [{ what: 'remove', script: before } as const]),
      { what: 'create', script: buildScript(plan, owner, block, shapesOf(lab), means) },
    ];
  };
  return { ours, takeDownScript, changesTo };
}

/** The first address of a block, as a number. */
const firstOf = (block: number): number =>
  managementAddresses(block, 0)[0]
    .split('.')
    .reduce((sum, part) => sum * 256 + Number(part), 0) - 1;
