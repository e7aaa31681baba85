/** The canvas's context menu, opened by right click, Shift+F10 or the menu key. */
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CommandMenuAt, type CommandId, type MenuPoint } from '../commands/index.ts';
import { emptySelection, select, useLabStore, type Selection } from '../state/index.ts';

export interface MenuPosition extends MenuPoint {
  readonly on: 'node' | 'link' | 'annotation' | 'ground';
  /** In document coordinates. */
  readonly at: { readonly x: number; readonly y: number };
}

const entries: Readonly<Record<MenuPosition['on'], readonly (readonly CommandId[])[]>> = {
  node: [
    ['terminal', 'terminals', 'openFolder', 'copySsh'],
    ['start', 'probe', 'stop', 'reboot'],
    ['takeOut', 'rejoinRun', 'replaceNode'],
    ['rename', 'connectTo'],
    ['cut', 'copy', 'duplicate'],
    ['group', 'ungroup', 'lock', 'unlock'],
    ['showSelection'],
    ['delete'],
  ],
  link: [['takeLinkDown', 'bringLinkUp'], ['showSelection'], ['delete']],
  annotation: [['cut', 'copy', 'duplicate'], ['lock', 'unlock'], ['showSelection'], ['delete']],
  ground: [
    ['paste', 'selectAll'],
    ['addNote', 'addRectangle', 'addEllipse'],
    ['layout_chain', 'layout_ring', 'layout_star', 'layout_grid', 'layout_layered'],
    ['showAll', 'overview'],
  ],
};

/** Selects the part that the menu was opened on, unless it is selected already. */
export function selectForMenu(part: keyof Selection, id: string): void {
  const { selection } = useLabStore.getState();
  if (selection[part]?.includes(id) !== true) select({ ...emptySelection, [part]: [id] });
}

export function ContextMenu({ position, onClose }: { position: MenuPosition; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <CommandMenuAt
      groups={entries[position.on]}
      at={position.at}
      point={position}
      label={t('canvas.menu')}
      onClose={onClose}
    />
  );
}

export function useContextMenu(): {
  position: MenuPosition | undefined;
  ask: (menu: MenuPosition) => void;
  close: () => void;
} {
  const [position, setPosition] = useState<MenuPosition>();
  const close = useCallback(() => setPosition(undefined), []);
  return { position, ask: setPosition, close };
}
