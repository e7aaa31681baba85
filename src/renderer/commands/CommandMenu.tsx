/** Menus of commands: every menu of the window is made of these, so that all of its actions are in the palette, too. */
import { Menu } from '@mantine/core';
import { Fragment, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { keysInWords, type CommandContext, type CommandId } from './command.ts';
import classes from './CommandMenu.module.css';
import { useCommandContext } from './context.ts';
import { commandOf } from './list.ts';

export interface CommandItemsProps {
  /** Groups, divided by lines. */
  readonly groups: readonly (readonly CommandId[])[];
  /** An entry that is not possible now is left out, or shown disabled. */
  readonly impossible: 'hidden' | 'disabled';
  readonly at?: CommandContext['at'];
}

export function CommandItems({ groups, impossible, at }: CommandItemsProps) {
  const { t } = useTranslation();
  const context = useCommandContext();
  return groups
    .map((group) =>
      group
        .map(commandOf)
        .map((command) => ({ ...command, possible: command.isPossible?.() ?? true }))
        .filter(({ possible }) => possible || impossible === 'disabled'),
    )
    .filter((group) => group.length > 0)
    .map((group, index) => (
      <Fragment key={group[0]?.id}>
        {index > 0 && <Menu.Divider />}
        {group.map(({ id, Icon, keys, run, possible, isDestructive = false }) => (
          <Menu.Item
            key={id}
            disabled={!possible}
            leftSection={<Icon size={15} aria-hidden />}
            {...(isDestructive ? { color: 'var(--rl-state-failed)' } : {})}
            {...(keys === undefined
              ? {}
              : { rightSection: <span className={classes.keys}>{keysInWords(keys)}</span> })}
            onClick={() => run({ ...context, at })}
          >
            {t(`commands.name.${id}`)}
          </Menu.Item>
        ))}
      </Fragment>
    ));
}

/** In window coordinates. */
export interface MenuPoint {
  readonly x: number;
  readonly y: number;
}

/** A context menu: opened at a point of the window by right click, Shift+F10 or the menu key. */
export function CommandMenuAt(
  props: Omit<CommandItemsProps, 'impossible'> & {
    readonly point: MenuPoint;
    readonly label: string;
    readonly onClose: () => void;
  },
) {
  const { groups, at, point, label, onClose } = props;
  useEffect(() => {
    const before = document.activeElement;
    // Mantine returns the focus of a menu that closes, not of one that is gone: keys would apply to nothing.
    return () => {
      // A link is an element of SVG.
      const isFocusable = before instanceof HTMLElement || before instanceof SVGElement;
      if (document.activeElement === document.body && isFocusable) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <Menu
      opened
      onClose={onClose}
      width={230}
      withInitialFocusPlaceholder={false}
      zIndex={330}
      // In the middle of the window a long menu fits on neither side: it is shifted instead.
      middlewares={{ shift: { crossAxis: true, padding: 6 } }}
    >
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label={label}
          className={classes.point}
          style={{ left: point.x, top: point.y }}
        />
      </Menu.Target>
      <Menu.Dropdown
        className={classes.menu ?? ''}
        aria-label={label}
        onContextMenu={(event) => event.preventDefault()}
      >
        <CommandItems groups={groups} impossible="hidden" at={at} />
      </Menu.Dropdown>
    </Menu>
  );
}
