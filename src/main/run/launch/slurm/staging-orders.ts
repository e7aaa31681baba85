/** What the staging process of a job copies, from the orders of its ranks. Pure. */
import { ringlabFolder } from '../../../base/node-layout.ts';
import type { LaunchOrder, NodeOrders } from '../../record/launcher.ts';
import type { Staging } from './staging-script.ts';

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Folders of Ringlab's whose entries a command may name; those of wheels share their Pythons. */
const used = /^(trainers|environments|wheels|data|code|python|bin)\/[^/]+$/;

/**
 * @param folder stands for a home on every machine
 * @param runFolder absolute
 * @param nodes in the order of their ranks
 */
export function stagingOf(
  folder: string,
  runFolder: string,
  attempt: number,
  nodes: readonly NodeOrders[],
): Staging {
  const ordersOf = ({ ranks, beside }: NodeOrders): readonly LaunchOrder[] => [...ranks, ...beside];
  const orders = nodes.flatMap(ordersOf);
  const within = `${runFolder}/`;
  const work = orders
    .flatMap(({ workingDirectory }) => workingDirectory ?? [])
    .find((path) => path.startsWith(within))
    ?.slice(within.length)
    .split('/')[0];
  return {
    ...{ folder, runFolder, attempt, work },
    nodeFolders: nodes.map((node) => ordersOf(node).map(({ directory }) => baseName(directory))),
    payload: payloadOf(ringlabFolder(folder), orders),
  };
}

/** What the commands name below Ringlab's folder. */
function payloadOf(root: string, orders: readonly LaunchOrder[]): string[] {
  const found = new Set<string>();
  for (const { argv, againArgv = [], env } of orders)
    for (const word of [...argv, ...againArgv, ...Object.values(env)])
      // Also in lists, as LD_LIBRARY_PATH has them, and after an option's equals sign.
      for (const rest of word.split(`${root}/`).slice(1)) {
        const [entry] = /^[^/:]+\/[^/:]+/.exec(rest) ?? [];
        if (entry === undefined || !used.test(entry)) continue;
        found.add(entry);
        if (entry.startsWith('wheels/')) found.add('wheels/python');
      }
  return [...found].toSorted();
}
