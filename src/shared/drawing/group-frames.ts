/** The rectangles that are drawn around groups of nodes. Pure functions. */
import type { LabNode } from '../lab/lab.ts';
import { cardSize, type Rectangle } from './card-size.ts';

/** The frames of groups: each around its nodes, in the order of their first. */
export interface Frame extends Rectangle {
  readonly group: string;
}
export function frames(nodes: readonly Pick<LabNode, 'id' | 'group' | 'position'>[]): Frame[] {
  const margin = 20;
  const found = new Map<string, { left: number; top: number; right: number; bottom: number }>();
  for (const { group, position } of nodes) {
    if (group === undefined || group === '') continue;
    const old = found.get(group);
    found.set(group, {
      left: Math.min(old?.left ?? position.x, position.x),
      top: Math.min(old?.top ?? position.y, position.y),
      right: Math.max(old?.right ?? position.x, position.x),
      bottom: Math.max(old?.bottom ?? position.y, position.y),
    });
  }
  return [...found].map(([group, { left, top, right, bottom }]) => ({
    group,
    x: left - margin,
    y: top - margin - 12,
    width: right - left + cardSize.width + 2 * margin,
    height: bottom - top + cardSize.height + 2 * margin + 12,
  }));
}
