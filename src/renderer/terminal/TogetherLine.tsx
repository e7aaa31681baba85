/** A line that shows that typing goes into all terminals, and into which. */
import { Checkbox, Switch } from '@mantine/core';
import { IconKeyboard } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { namesOf } from './names.ts';
import { screenOf, useTabs, type Tab } from './tabs.ts';
import classes from './TerminalPanel.module.css';
import { standAside, typedInto, typeTogether, useTogether } from './together.ts';

/** The switch for typing into all; shown if there is more than one terminal. */
export function TogetherSwitch({ shownId }: { shownId: string }) {
  const { t } = useTranslation();
  const on = useTogether((state) => state.on);
  return (
    <Switch
      size="xs"
      label={t('terminal.together')}
      checked={on}
      className={classes.together ?? ''}
      onChange={(event) => {
        typeTogether(event.currentTarget.checked);
        screenOf(shownId)?.focus();
      }}
    />
  );
}

export function TogetherLine({ shown }: { shown: Tab }) {
  const { t } = useTranslation();
  const tabs = useTabs((state) => state.tabs);
  const together = useTogether();
  if (!together.on) return null;
  const names = namesOf(tabs);
  const isAlone = typedInto(shown, tabs, together).length === 1;
  return (
    <div className={classes.into} role="group" aria-label={t('terminal.together')} data-alone={isAlone}>
      <IconKeyboard size={15} aria-hidden />
      <span role="status">
        {isAlone
          ? t('terminal.typedAlone', { name: names.get(shown.id) ?? shown.node })
          : t('terminal.typedInto')}
      </span>
      {tabs.map((tab) => (
        <Checkbox
          key={tab.id}
          size="xs"
          label={names.get(tab.id)}
          checked={!together.aside.has(tab.id)}
          onChange={(event) => {
            standAside(tab.id, !event.currentTarget.checked);
            screenOf(shown.id)?.focus();
          }}
        />
      ))}
    </div>
  );
}
