/** Commands that lay out and align nodes. */
import {
  IconArrowsHorizontal,
  IconArrowsVertical,
  IconBinaryTree2,
  IconCircleDashed,
  IconGrid4x4,
  IconLayoutAlignBottom,
  IconLayoutAlignCenter,
  IconLayoutAlignLeft,
  IconLayoutAlignMiddle,
  IconLayoutAlignRight,
  IconLayoutAlignTop,
  IconLine,
  IconTopologyStar3,
  type Icon,
} from '@tabler/icons-react';
import {
  align,
  arrange,
  camera,
  distribute,
  layOut,
  layouts,
  alignments,
  useLabStore,
  type Alignment,
  type Layout,
} from '../state/index.ts';
import type { Command } from './command.ts';

const layoutIcons: Readonly<Record<Layout, Icon>> = {
  chain: IconLine,
  ring: IconCircleDashed,
  star: IconTopologyStar3,
  grid: IconGrid4x4,
  layered: IconBinaryTree2,
};
const alignmentIcons: Readonly<Record<Alignment, Icon>> = {
  left: IconLayoutAlignLeft,
  centre: IconLayoutAlignCenter,
  right: IconLayoutAlignRight,
  top: IconLayoutAlignTop,
  middle: IconLayoutAlignMiddle,
  bottom: IconLayoutAlignBottom,
};
/** Whether so many nodes are selected, and so many of them can be moved: nothing arranges locked ones. */
const several = (min: number, movable: number) => (): boolean => {
  const { lab, selection } = useLabStore.getState();
  if (selection.nodes.length < min) return false;
  const ids = new Set(selection.nodes);
  return (lab?.nodes.filter((node) => ids.has(node.id) && node.locked !== true).length ?? 0) >= movable;
};

export const arrangeCommands: readonly Command[] = [
  ...layouts.map((kind): Command => ({
    id: `layout_${kind}`,
    section: 'arrange',
    Icon: layoutIcons[kind],
    isPossible: () => (useLabStore.getState().lab?.nodes.length ?? 0) > 1,
    run() {
      arrange((lab, ids) => layOut(lab, ids, kind));
      // After the canvas has drawn them at their new positions.
      requestAnimationFrame(() => camera()?.showAll());
    },
  })),
  ...alignments.map((alignment): Command => ({
    id: `align_${alignment}`,
    section: 'arrange',
    Icon: alignmentIcons[alignment],
    isPossible: several(2, 1),
    run: () => arrange((lab, ids) => align(lab, ids, alignment)),
  })),
  {
    id: 'distribute_x',
    section: 'arrange',
    Icon: IconArrowsHorizontal,
    isPossible: several(3, 3),
    run: () => arrange((lab, ids) => distribute(lab, ids, 'x')),
  },
  {
    id: 'distribute_y',
    section: 'arrange',
    Icon: IconArrowsVertical,
    isPossible: several(3, 3),
    run: () => arrange((lab, ids) => distribute(lab, ids, 'y')),
  },
];
