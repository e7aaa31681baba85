/** The panel of terminals below the canvas: a tab for each, a search field, and buttons. */
import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core';
import {
  IconChevronDown,
  IconChevronUp,
  IconPlugConnected,
  IconPlus,
  IconSearch,
  IconX,
} from '@tabler/icons-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/index.ts';
import { useSettingsStore } from '../state/index.ts';
import { closeTab, connect, openAnother, screenOf, showTab, useSearch, useTabs, type Tab } from './tabs.ts';
import { titleOf } from './names.ts';
import classes from './TerminalPanel.module.css';
import { TogetherLine, TogetherSwitch } from './TogetherLine.tsx';
import { useTogether } from './together.ts';

export function TerminalPanel() {
  const { t } = useTranslation();
  const api = useApi();
  const tabs = useTabs((state) => state.tabs);
  const current = useTabs((state) => state.current);
  const theme = useSettingsStore((state) => state.theme);
  const searching = useSearch((state) => state.open);
  const shown = tabs.find((tab) => tab.id === current);
  const name = shown === undefined ? '' : titleOf(shown, tabs);
  useEffect(() => {
    // One frame later the page has the new theme's colours.
    requestAnimationFrame(() => {
      for (const { id } of useTabs.getState().tabs) screenOf(id)?.retheme();
    });
  }, [theme]);
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex((tab) => tab.id === current);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    showTab(next.id);
    document.querySelector<HTMLElement>(`[data-terminal-tab="${next.id}"]`)?.focus();
  };
  return (
    <section className={classes.panel} aria-label={t('terminal.title')}>
      <div className={classes.bar}>
        <div role="tablist" aria-label={t('terminal.title')} className={classes.tabs} onKeyDown={onKey}>
          {tabs.map((tab) => (
            <TabButton key={tab.id} tab={tab} title={titleOf(tab, tabs)} selected={tab.id === current} />
          ))}
        </div>
        {shown !== undefined && (
          <>
            <Tooltip label={t('terminal.another', { name })}>
              <ActionIcon
                size={24}
                aria-label={t('terminal.another', { name })}
                onClick={() => openAnother(api, shown.id)}
              >
                <IconPlus size={15} />
              </ActionIcon>
            </Tooltip>
            <Tooltip label={t('terminal.close', { name })}>
              <ActionIcon
                size={24}
                aria-label={t('terminal.close', { name })}
                onClick={() => closeTab(api, shown.id)}
              >
                <IconX size={15} />
              </ActionIcon>
            </Tooltip>
            <span className={classes.space} />
            {(shown.state === 'lost' || shown.state === 'ended') && (
              <Button
                size="compact-xs"
                variant="light"
                leftSection={<IconPlugConnected size={13} />}
                onClick={() => connect(api, shown.id)}
              >
                {t('terminal.reconnect')}
              </Button>
            )}
            {tabs.length > 1 && <TogetherSwitch shownId={shown.id} />}
            {searching && <SearchLine tabId={shown.id} />}
            <Tooltip label={`${t('terminal.search')} (Ctrl+Shift+F)`}>
              <ActionIcon
                size={24}
                aria-label={t('terminal.search')}
                aria-pressed={searching}
                onClick={() => useSearch.setState({ open: !searching })}
              >
                <IconSearch size={15} />
              </ActionIcon>
            </Tooltip>
            <span className={classes.hint}>{t('terminal.hint')}</span>
          </>
        )}
      </div>
      {shown !== undefined && <TogetherLine shown={shown} />}
      {shown !== undefined && <ScreenPlace key={shown.id} tabId={shown.id} name={name} />}
    </section>
  );
}

function TabButton({ tab, title, selected }: { tab: Tab; title: string; selected: boolean }) {
  const { t } = useTranslation();
  const isTypedInto = useTogether((state) => state.on && !state.aside.has(tab.id));
  return (
    <button
      type="button"
      role="tab"
      data-terminal-tab={tab.id}
      data-state={tab.state}
      data-typed-into={isTypedInto || undefined}
      aria-selected={selected}
      aria-controls={`${tab.id}-screen`}
      tabIndex={selected ? 0 : -1}
      className={classes.tab}
      onClick={() => {
        showTab(tab.id);
        requestAnimationFrame(() => screenOf(tab.id)?.focus());
      }}
    >
      <span className={classes.dot} aria-hidden />
      {title}
      <span className={classes.word}>{t(`terminal.state.${tab.state}`)}</span>
    </button>
  );
}

/** Holds the screen of the shown tab; the screen itself is kept when another tab is shown. */
function ScreenPlace({ tabId, name }: { tabId: string; name: string }) {
  const { t } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  const screen = screenOf(tabId);
  useEffect(() => {
    const element = place.current;
    if (element === null || screen === undefined) return undefined;
    element.append(screen.element);
    screen.fit();
    const observer = new ResizeObserver(() => screen.fit());
    observer.observe(element);
    return () => {
      observer.disconnect();
      screen.element.remove();
    };
  }, [screen]);
  return (
    <div
      ref={place}
      id={`${tabId}-screen`}
      role="tabpanel"
      aria-label={t('terminal.on', { name })}
      className={classes.screen}
      data-own-keys
    />
  );
}

function SearchLine({ tabId }: { tabId: string }) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [missing, setMissing] = useState(false);
  const find = (term: string, direction: 'next' | 'previous'): void => {
    setMissing(term !== '' && screenOf(tabId)?.find(term, direction) !== true);
  };
  const close = (): void => {
    useSearch.setState({ open: false });
    screenOf(tabId)?.focus();
  };
  return (
    <div className={classes.search} role="search">
      <TextInput
        autoFocus
        aria-label={t('terminal.search')}
        placeholder={t('terminal.search')}
        value={text}
        error={missing}
        size="xs"
        onChange={(event) => {
          setText(event.currentTarget.value);
          find(event.currentTarget.value, 'next');
        }}
        onKeyDown={(event) => {
          // An input method's keys choose among its words.
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter') find(text, event.shiftKey ? 'previous' : 'next');
          if (event.key === 'Escape') close();
        }}
      />
      <ActionIcon size={24} aria-label={t('terminal.previous')} onClick={() => find(text, 'previous')}>
        <IconChevronUp size={15} />
      </ActionIcon>
      <ActionIcon size={24} aria-label={t('terminal.next')} onClick={() => find(text, 'next')}>
        <IconChevronDown size={15} />
      </ActionIcon>
    </div>
  );
}
