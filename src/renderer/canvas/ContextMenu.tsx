/** The canvas's context menu, opened by right click, Shift+F10 or the menu key. */
import { Menu } from '@mantine/core';
import { Fragment, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { commandOf, keysInWords, useCommandContext, type CommandId } from '../commands/index.ts';
import { emptySelection, select, useLabStore, type Selection } from '../state/index.ts';
import classes from './Canvas.module.css';

export interface MenuPosition {
  /** In window coordinates. */
  readonly x: number;
  readonly y: number;
  readonly on: 'node' | 'link' | 'annotation' | 'ground';
  /** In document coordinates. */
  readonly at: { readonly x: number; readonly y: number };
}

const entries: Readonly<Record<MenuPosition['on'], readonly (readonly CommandId[])[]>> = {
  node: [
    ['terminal', 'terminals', 'openFolder', 'copySsh'],
    ['start', 'probe', 'stop', 'reboot'],
    ['connectTo'],
    ['cut', 'copy', 'duplicate'],
    ['group', 'ungroup', 'lock', 'unlock'],
    ['showSelection'],
    ['delete'],
  ],
  link: [['showSelection'], ['delete']],
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
  const context = useCommandContext();
  return (
    <Menu
      opened
      onClose={onClose}
      width={230}
      returnFocus
      withInitialFocusPlaceholder={false}
      // In the middle of the window a long menu fits on neither side: it is shifted instead.
      middlewares={{ shift: { crossAxis: true, padding: 6 } }}
    >
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label={t('canvas.menu')}
          className={classes.menuAt}
          style={{ left: position.x, top: position.y }}
        />
      </Menu.Target>
      <Menu.Dropdown
        className={classes.menu ?? ''}
        aria-label={t('canvas.menu')}
        onContextMenu={(event) => event.preventDefault()}
      >
        {entries[position.on]
          .map((group) => group.map(commandOf).filter((one) => one.isPossible?.() ?? true))
          .filter((group) => group.length > 0)
          .map((group, index) => (
            <Fragment key={group[0]?.id}>
              {index > 0 && <Menu.Divider />}
              {group.map(({ id, Icon, keys, run }) => (
                <Menu.Item
                  key={id}
                  leftSection={<Icon size={15} aria-hidden />}
                  {...(id === 'delete' ? { color: 'var(--rl-state-failed)' } : {})}
                  {...(keys === undefined
                    ? {}
                    : { rightSection: <span className={classes.keys}>{keysInWords(keys)}</span> })}
                  onClick={() => run({ ...context, at: position.at })}
                >
                  {t(`commands.name.${id}`)}
                </Menu.Item>
              ))}
            </Fragment>
          ))}
      </Menu.Dropdown>
    </Menu>
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
