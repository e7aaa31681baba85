/**
 * What a choice has taken away: the login of a node that is this computer for now, a cluster, another source of data. Kept while the
 * window is open, so that a choice that is taken back has its values again, also after the inspector has shown something else.
 */

/** The oldest is dropped. */
const maxKept = 500;

export interface KeptValues<T> {
  /** @param place of the choice and what was chosen, in its lab: `lab1 node.n1.access` */
  keep(place: string, value: T): void;
  of(place: string): T | undefined;
}

export function keptValues<T>(): KeptValues<T> {
  const values = new Map<string, T>();
  return {
    keep(place, value) {
      values.delete(place);
      values.set(place, value);
      const [oldest] = values.keys();
      if (values.size > maxKept && oldest !== undefined) values.delete(oldest);
    },
    of: (place) => values.get(place),
  };
}
