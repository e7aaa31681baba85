/** Commands that change the drawing. */
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconClipboard,
  IconCopy,
  IconCopyPlus,
  IconCpu,
  IconCut,
  IconDeviceFloppy,
  IconLasso,
  IconLayersSubtract,
  IconLayersUnion,
  IconLock,
  IconLockOpen,
  IconNote,
  IconOvalVertical,
  IconRectangle,
  IconServer2,
  IconSwitch3,
  IconTrash,
} from '@tabler/icons-react';
import { notifications } from '@mantine/notifications';
import {
  addAnnotation,
  addNode,
  asRinglabError,
  camera,
  copySelected,
  duplicateSelected,
  freeGroup,
  groupSelected,
  lockSelected,
  redoEdit,
  removeSelected,
  report,
  saveNow,
  selectAll,
  selectedCount,
  undoEdit,
  useLabStore,
  usedByRun,
} from '../state/index.ts';
import { askBeforeDestroying } from '../ui/index.ts';
import type { Command, CommandContext } from './command.ts';
import { canPaste, paste, writeCopy } from './system-clipboard.ts';

const selected = () => {
  const { lab, selection } = useLabStore.getState();
  const ids = new Set(selection.nodes);
  return lab?.nodes.filter((node) => ids.has(node.id)) ?? [];
};
/** Parts with a position, which can be copied or locked: links have none. */
const placed = () => {
  const { lab, selection } = useLabStore.getState();
  return [
    ...selected(),
    ...(lab?.annotations?.filter(({ id }) => selection.annotations?.includes(id)) ?? []),
  ];
};
const somePlaced = (): boolean => placed().length > 0;

/** Copies to the windows' memory and, if the browser allows it, to the system's clipboard. */
function copy(): void {
  const text = copySelected();
  if (text !== undefined) writeCopy(text);
}

/** Removes the selection, after a question where a run is using a part of it; notifies the user if locked nodes stayed. */
export function removeAndNotify({ t }: Pick<CommandContext, 't'>): void {
  const { lab } = useLabStore.getState();
  const nodes = selected().filter(({ locked }) => locked !== true);
  const ids = nodes.map(({ id }) => id);
  const used = lab === undefined ? undefined : usedByRun(lab.id, ids);
  if (used === undefined) {
    removeNow(t);
    return;
  }
  const names = nodes.filter(({ id }) => used.nodeIds.includes(id)).map(({ name }) => name);
  askBeforeDestroying(
    {
      title: t('canvas.deleteInRun.title', { count: names.length, name: names[0] ?? '' }),
      text: t('canvas.deleteInRun.text', { run: used.run }),
      confirm: t('canvas.deleteInRun.confirm'),
      cancel: t('shell.cancel'),
    },
    () => removeNow(t),
  );
}

function removeNow(t: CommandContext['t']): void {
  const stayed = removeSelected();
  if (stayed > 0) {
    notifications.show({
      id: 'locked-stayed',
      color: 'yellow',
      message: t('canvas.lockedStayed', { count: stayed }),
      autoClose: 5000,
    });
  }
}

const kinds = [
  { id: 'addNote', kind: 'note', Icon: IconNote },
  { id: 'addRectangle', kind: 'rectangle', Icon: IconRectangle },
  { id: 'addEllipse', kind: 'ellipse', Icon: IconOvalVertical },
] as const;

const nodeKinds = [
  { id: 'addGpu', kind: 'gpu', Icon: IconCpu },
  { id: 'addCpu', kind: 'cpu', Icon: IconServer2 },
  { id: 'addSwitch', kind: 'switch', Icon: IconSwitch3 },
] as const;

export const editCommands: readonly Command[] = [
  {
    id: 'undo',
    section: 'edit',
    Icon: IconArrowBackUp,
    keys: 'Mod+Z',
    isPossible: () => useLabStore.getState().history.undo.length > 0,
    run: undoEdit,
  },
  {
    id: 'redo',
    section: 'edit',
    Icon: IconArrowForwardUp,
    keys: 'Mod+Shift+Z',
    otherKeys: 'Mod+Y',
    isPossible: () => useLabStore.getState().history.redo.length > 0,
    run: redoEdit,
  },
  {
    id: 'cut',
    section: 'edit',
    Icon: IconCut,
    keys: 'Mod+X',
    byBrowser: true,
    isPossible: somePlaced,
    run(context) {
      copy();
      removeAndNotify(context);
    },
  },
  {
    id: 'copy',
    section: 'edit',
    Icon: IconCopy,
    keys: 'Mod+C',
    byBrowser: true,
    isPossible: somePlaced,
    run: copy,
  },
  {
    id: 'paste',
    section: 'edit',
    Icon: IconClipboard,
    keys: 'Mod+V',
    byBrowser: true,
    isPossible: canPaste,
    run: (context) => void paste(context),
  },
  {
    id: 'duplicate',
    section: 'edit',
    Icon: IconCopyPlus,
    keys: 'Mod+D',
    isPossible: somePlaced,
    run: duplicateSelected,
  },
  {
    id: 'delete',
    section: 'edit',
    Icon: IconTrash,
    isDestructive: true,
    isPossible: () => selectedCount(useLabStore.getState().selection) > 0,
    run: removeAndNotify,
  },
  ...nodeKinds.map(({ id, kind, Icon }): Command => ({
    id,
    section: 'edit',
    Icon,
    isPossible: () => useLabStore.getState().lab !== undefined,
    run: ({ at }) => addNode(kind, at ?? camera()?.middle() ?? { x: 0, y: 0 }, true),
  })),
  ...kinds.map(({ id, kind, Icon }): Command => ({
    id,
    section: 'edit',
    Icon,
    isPossible: () => useLabStore.getState().lab !== undefined,
    run: ({ at }) => addAnnotation(kind, at ?? camera()?.middle() ?? { x: 0, y: 0 }),
  })),
  {
    id: 'selectAll',
    section: 'edit',
    Icon: IconLasso,
    keys: 'Mod+A',
    isPossible() {
      const { lab } = useLabStore.getState();
      return lab !== undefined && lab.nodes.length + (lab.annotations?.length ?? 0) > 0;
    },
    run: selectAll,
  },
  {
    id: 'group',
    section: 'edit',
    Icon: IconLayersUnion,
    keys: 'Mod+G',
    isPossible: () => selected().length > 1,
    run: ({ t }) => groupSelected(freeGroup((number) => t('canvas.groupName', { number }))),
  },
  {
    id: 'ungroup',
    section: 'edit',
    Icon: IconLayersSubtract,
    keys: 'Mod+Shift+G',
    isPossible: () => selected().some((node) => (node.group ?? '') !== ''),
    run: () => groupSelected(''),
  },
  {
    id: 'lock',
    section: 'edit',
    Icon: IconLock,
    isPossible: () => placed().some(({ locked }) => locked !== true),
    run: () => lockSelected(true),
  },
  {
    id: 'unlock',
    section: 'edit',
    Icon: IconLockOpen,
    isPossible: () => placed().some(({ locked }) => locked === true),
    run: () => lockSelected(false),
  },
  {
    id: 'save',
    section: 'lab',
    Icon: IconDeviceFloppy,
    keys: 'Mod+S',
    isPossible: () => useLabStore.getState().lab !== undefined,
    run: ({ api }) => void saveNow(api).catch((error: unknown) => report(asRinglabError(error))),
  },
];
