/**
 * Where uv keeps downloads and Pythons for a node: beside its environments, in the node's own home. All local nodes are
 * this computer, whatever their homes: they share one place in the data folder, so that each file is downloaded and
 * stored once, and environments are links to it.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabNode } from '../../../../shared/lab/lab.ts';
import { ringlabFolder, wheelsFolder } from '../../../base/node-layout.ts';

export interface UvFolders {
  readonly cache: string;
  readonly pythons: string;
}

/** Of all local nodes. @param data this app's data folder */
export const localWheels = (data: string): string => join(data, 'wheels');

/** @param shared of all local nodes */
export const uvFolders = ({ access }: Pick<LabNode, 'access'>, home: string, shared: string): UvFolders =>
  access.type === 'local'
    ? { cache: `${shared}/cache`, pythons: `${shared}/python` }
    : { cache: wheelsFolder(home, 'cache'), pythons: wheelsFolder(home, 'python') };

/** The name of uv's lasting work. */
export const uvWork = 'uv';

/** Removes what local nodes share, where no environment of theirs is left that may need it. */
export async function removeUnusedWheels(data: string): Promise<void> {
  const nodes = join(data, 'nodes');
  const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
  for (const lab of await namesIn(nodes))
    for (const node of await namesIn(join(nodes, lab))) {
      const environments = join(ringlabFolder(join(nodes, lab, node, 'home')), 'wheels');
      if ((await namesIn(environments)).length > 0) return;
    }
  await rm(localWheels(data), { recursive: true, force: true });
}
