/** The names of terminals' tabs, which tell several of a node and those of several labs apart. */
import type { Tab } from './tabs.ts';

/**
 * The node's name, and the lab's where tabs are of several labs: nodes of two labs often have the same name, and are other
 * machines.
 */
export const titleOf = ({ labId, labName, node }: Tab, tabs: readonly Tab[]): string =>
  tabs.every((tab) => tab.labId === labId) ? node : `${node} · ${labName}`;

/** 'N1', 'N1 (2)': a node may have several terminals. */
export function namesOf(tabs: readonly Tab[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  return new Map(
    tabs.map((tab) => {
      const title = titleOf(tab, tabs);
      const count = (counts.get(title) ?? 0) + 1;
      counts.set(title, count);
      return [tab.id, count === 1 ? title : `${title} (${count})`];
    }),
  );
}
