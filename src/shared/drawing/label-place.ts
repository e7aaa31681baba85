/** Where a link's label is drawn so that no card covers it. Pure. */
import type { LabNode } from '../lab/lab.ts';
import { cardSize, type Rectangle } from './card-size.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Room between a label and a card, in pixels of the document. */
const room = 4;
/** Places along the line, from its middle outwards, as shares of its length. */
const along = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];
/** How far aside a label goes at most, in heights or widths of a card. */
const farthest = 2;

const overlap = (a: Rectangle, b: Rectangle): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/**
 * The centre of the label: on the line, as near to its middle as no card is; where cards cover all of the line, beside
 * it, above or to the left first. The middle of the line where everything is covered.
 * @param covered whether a card lies over a part of this box
 */
export function labelPlace(
  start: Point,
  end: Point,
  size: Size,
  covered: (box: Rectangle) => boolean,
): Point {
  const at = (share: number): Point => ({
    x: start.x + (end.x - start.x) * share,
    y: start.y + (end.y - start.y) * share,
  });
  const isFree = ({ x, y }: Point): boolean =>
    !covered({
      x: x - size.width / 2 - room,
      y: y - size.height / 2 - room,
      width: size.width + 2 * room,
      height: size.height + 2 * room,
    });
  const middle = at(0.5);
  if (isFree(middle)) return middle;
  const length = Math.hypot(end.x - start.x, end.y - start.y);
  // A short line would have its places within a label’s width of one another.
  const shares = length < size.height ? along.slice(0, 1) : along;
  for (const share of shares) if (isFree(at(share))) return at(share);
  const isFlat = Math.abs(end.x - start.x) >= Math.abs(end.y - start.y);
  const step = isFlat
    ? (cardSize.height + size.height) / 2 + room + 1
    : (cardSize.width + size.width) / 2 + room + 1;
  for (let times = 1; times <= farthest; times += 1)
    for (const side of [-1, 1])
      for (const share of shares) {
        const { x, y } = at(share);
        const aside = isFlat ? { x, y: y + side * times * step } : { x: x + side * times * step, y };
        if (isFree(aside)) return aside;
      }
  return middle;
}

const cell = 240;
const keyOf = (column: number, row: number): string => `${column} ${row}`;
/** The document's cards by the cells that they touch. */
export type CardGrid = ReadonlyMap<string, readonly LabNode[]>;
export const noCards: CardGrid = new Map();
let newest: { nodes: readonly LabNode[]; grid: CardGrid } = { nodes: [], grid: noCards };

const samePlaces = (a: readonly LabNode[], b: readonly LabNode[]): boolean =>
  a.length === b.length &&
  a.every((node, index) => node.id === b[index]?.id && node.position === b[index].position);

/**
 * The last answer is kept, since all links ask for the same nodes; it is the same object for nodes that differ in
 * something else, such as a name.
 */
export function cardGrid(nodes: readonly LabNode[] | undefined): CardGrid {
  if (nodes === undefined) return noCards;
  if (newest.nodes !== nodes)
    newest = { nodes, grid: samePlaces(newest.nodes, nodes) ? newest.grid : gridOf(nodes) };
  return newest.grid;
}

function cellsOf(box: Rectangle): string[] {
  const keys: string[] = [];
  for (let column = Math.floor(box.x / cell); column <= Math.floor((box.x + box.width) / cell); column += 1)
    for (let row = Math.floor(box.y / cell); row <= Math.floor((box.y + box.height) / cell); row += 1)
      keys.push(keyOf(column, row));
  return keys;
}

function gridOf(nodes: readonly LabNode[]): CardGrid {
  const grid = new Map<string, LabNode[]>();
  for (const node of nodes)
    for (const key of cellsOf({ ...node.position, ...cardSize })) {
      const members = grid.get(key);
      if (members === undefined) grid.set(key, [node]);
      else members.push(node);
    }
  return grid;
}

/**
 * Whether a card covers a part of a box.
 * @param moved where cards are now that may be dragged: in place of the document's positions, by node id
 */
export function coveredBy(
  grid: CardGrid,
  moved: Readonly<Record<string, Rectangle>>,
): (box: Rectangle) => boolean {
  const now = Object.values(moved);
  return (box) =>
    now.some((card) => overlap(card, box)) ||
    cellsOf(box).some((key) =>
      (grid.get(key) ?? []).some(
        ({ id, position }) => moved[id] === undefined && overlap({ ...position, ...cardSize }, box),
      ),
    );
}
