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

export function createHeardNodes(clock: Clock): HeardNodes {
  /** By file: its bytes, and when they last became more. */
  const heard = new Map<string, { readonly bytes: string; readonly at: number }>();
  return {
    // One process, however many nodes there are.
    script: (orders) =>
      orders.length === 0
        ? ''
        : `stat -c 'heard %s %n' ${orders.map((order) => shellQuote(linesOf(order))).join(' ')} 2>/dev/null\n`,
    until(output, orders, exits, isRank) {
      for (const [, bytes = '', file = ''] of output.matchAll(/^heard (\d+) (.+)$/gm)) {
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
