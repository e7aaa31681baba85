/** When the compute nodes of a job were last heard of: the monitor beside the ranks of each writes a line every second. */
import type { Clock } from '../../../base/clock.ts';
import { shellQuote } from '../../../ssh/index.ts';
import type { Exit, LaunchOrder } from '../../record/launcher.ts';

export interface HeardNodes {
  /** Shell text that prints how much each monitor has written. */
  script(orders: readonly LaunchOrder[]): string;
  /**
   * Until when, by the clock's ticks, all nodes on which a rank still runs have been heard of: that of the one that has been silent for
   * longest. `Infinity` where no rank runs on, or only where the monitor has ended.
   * @param output what the script printed
   * @param exits how the orders' processes ended
   */
  until(
    output: string,
    orders: readonly LaunchOrder[],
    exits: readonly (Exit | undefined)[],
    isRank: (order: LaunchOrder) => boolean,
  ): number;
}

const linesOf = ({ directory }: LaunchOrder): string => `${directory}/metrics.jsonl`;

/** Shell text that prints how much each order's process has written. One process, however many nodes there are. */
const sizesScript = (orders: readonly LaunchOrder[]): string =>
  orders.length === 0
    ? ''
    : `stat -c 'heard %s %n' ${orders.map((order) => shellQuote(linesOf(order))).join(' ')} 2>/dev/null\n`;

const sizesIn = (output: string): [bytes: string, file: string][] =>
  [...output.matchAll(/^heard (\d+) (.+)$/gm)].map(([, bytes = '', file = '']) => [bytes, file]);

/** Milliseconds: a network file system may show for a minute what a file was (nfs(5), `acregmax`). */
const growthPatience = 65_000;

export interface Growth {
  /** Shell text that prints how much each has written. */
  script(orders: readonly LaunchOrder[]): string;
  /**
   * Whether one has written since the first look, or may have.
   * @param output what the script printed
   */
  goesOn(output: string): boolean;
}

/** Whether a job of which Slurm says nothing any more goes on, by what its processes write. */
export function createGrowth(clock: Clock): Growth {
  const sizes = new Map<string, string>();
  let grownAt: number | undefined;
  return {
    script: sizesScript,
    goesOn(output) {
      grownAt ??= clock.ticks();
      for (const [bytes, file] of sizesIn(output)) {
        if (sizes.has(file) && sizes.get(file) !== bytes) grownAt = clock.ticks();
        sizes.set(file, bytes);
      }
      return clock.ticks() - grownAt < growthPatience;
    },
  };
}

export function createHeardNodes(clock: Clock): HeardNodes {
  /** By file: its bytes, and when they last became more. */
  const heard = new Map<string, { readonly bytes: string; readonly at: number }>();
  return {
    script: sizesScript,
    until(output, orders, exits, isRank) {
      for (const [bytes, file] of sizesIn(output)) {
        const before = heard.get(file);
        if (before?.bytes === bytes) continue;
        // At the first look nobody knows how old the lines are.
        heard.set(file, { bytes, at: before === undefined ? -Infinity : clock.ticks() });
      }
      const running = orders.filter((_, index) => exits[index] === undefined);
      const nodes = new Set(running.filter(isRank).map(({ nodeId }) => nodeId));
      const monitors = running.filter((order) => !isRank(order) && nodes.has(order.nodeId));
      return Math.min(...monitors.map((order) => heard.get(linesOf(order))?.at ?? -Infinity));
    },
  };
}
