/** All settings on one page, and facts about this installation. */
import { ActionIcon, Modal, SegmentedControl, Switch, Tooltip } from '@mantine/core';
import { IconCircleCheck, IconAlertTriangle, IconTrash } from '@tabler/icons-react';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { languageNames } from '../../shared/base/language.ts';
import { Settings } from '../../shared/contract/api.ts';
import { useApi } from '../api/index.ts';
import { changeSettings } from '../commands/index.ts';
import {
  asRinglabError,
  report,
  showDialog,
  useLanguage,
  useSettingsStore,
  useViewStore,
  useWindowStore,
} from '../state/index.ts';
import classes from './SettingsPage.module.css';

export function SettingsPage() {
  const { t } = useTranslation();
  const opened = useViewStore((state) => state.dialog === 'settings');
  return (
    <Modal opened={opened} onClose={() => showDialog(undefined)} title={t('shell.settings.open')} size="lg">
      {opened && <Sections />}
    </Modal>
  );
}

function Sections() {
  const { t } = useTranslation();
  const api = useApi();
  const settings = useSettingsStore();
  const info = useWindowStore((state) => state.info);
  return (
    <>
      <Section title={t('shell.settings.look')}>
        <Line label={t('shell.settings.language')}>
          <SegmentedControl
            aria-label={t('shell.settings.language')}
            value={settings.language}
            data={Settings.shape.language.options.map((value) => ({
              value,
              label: value === 'system' ? t('shell.settings.system') : languageNames[value],
            }))}
            onChange={(language) => changeSettings(api, { language })}
          />
        </Line>
        <Line label={t('shell.settings.theme')}>
          <SegmentedControl
            aria-label={t('shell.settings.theme')}
            value={settings.theme}
            data={Settings.shape.theme.options.map((value) => ({
              value,
              label: t(`shell.settings.${value}`),
            }))}
            onChange={(theme) => changeSettings(api, { theme })}
          />
        </Line>
      </Section>
      <Section title={t('shell.settings.notices')}>
        <Line label={t('shell.settings.noticesText')}>
          <Switch
            aria-label={t('shell.settings.notices')}
            checked={settings.notifications}
            onChange={(event) => {
              const notifications = event.currentTarget.checked;
              changeSettings(api, { notifications });
              // In a browser the user must grant the permission to this page; the desktop window needs none.
              if (notifications && info?.host === 'web') void Notification.requestPermission();
            }}
          />
        </Line>
      </Section>
      <Trusted />
      <Doctor />
      {info !== undefined && (
        <Section title={t('shell.settings.about', { version: info.version })}>
          <Line label={t('shell.settings.dataFolder')}>
            <code className={classes.path}>{info.dataFolder}</code>
          </Line>
          <Line label={t('shell.settings.secrets')}>{t(`shell.settings.${info.secrets}`)}</Line>
        </Section>
      )}
    </>
  );
}

/** Main's response, requested once when the page opens. */
function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>): T | undefined {
  const [answer, setAnswer] = useState<T>();
  useEffect(() => {
    const stop = new AbortController();
    ask(stop.signal).then(
      (response) => setAnswer(() => response),
      (error: unknown) => {
        if (!stop.signal.aborted) report(asRinglabError(error));
      },
    );
    return () => stop.abort();
  }, [ask]);
  return answer;
}

function Trusted() {
  const { t } = useTranslation();
  const api = useApi();
  const listed = useAnswer(useCallback((signal) => api.call('trust.list', {}, signal), [api]));
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const shown = (listed ?? []).filter(({ host }) => !gone.has(host));
  return (
    <Section title={t('shell.settings.trusted')}>
      {shown.length === 0 && <p className={classes.none}>{t('shell.settings.trustsNone')}</p>}
      {shown.map(({ host, type, fingerprint, isWeak }) => (
        <div key={`${host} ${type}`} className={classes.line}>
          <span>
            {host} <small>{type}</small>
            <code className={classes.path}>
              {isWeak === true ? t('shell.settings.weakAllowed') : fingerprint}
            </code>
          </span>
          <Tooltip label={t('shell.settings.forget', { host })}>
            <ActionIcon
              aria-label={t('shell.settings.forget', { host })}
              onClick={() => {
                api.call('trust.forget', { host }).then(
                  () => setGone(new Set([...gone, host])),
                  (error: unknown) => report(asRinglabError(error)),
                );
              }}
            >
              <IconTrash size={15} />
            </ActionIcon>
          </Tooltip>
        </div>
      ))}
    </Section>
  );
}

function Doctor() {
  const { t } = useTranslation();
  const language = useLanguage();
  const api = useApi();
  const items = useAnswer(useCallback((signal) => api.call('app.doctor', {}, signal), [api]));
  return (
    <Section title={t('shell.settings.doctor')}>
      {items === undefined && <p className={classes.none}>{t('shell.settings.looking')}</p>}
      {items?.map(({ id, ok, found, remedy }) => (
        <div key={id} className={classes.item}>
          {ok ? (
            <IconCircleCheck size={15} color="var(--rl-state-done)" aria-label={t('shell.settings.ok')} />
          ) : (
            <IconAlertTriangle
              size={15}
              color="var(--rl-state-waiting)"
              aria-label={t('shell.settings.missing')}
            />
          )}
          <span>
            {t(`shell.settings.parts.${id}`)}
            <small>{(ok ? found : remedy)[language]}</small>
          </span>
        </div>
      ))}
    </Section>
  );
}

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={classes.section} aria-label={title}>
    <h3>{title}</h3>
    {children}
  </section>
);

const Line = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={classes.line}>
    <span>{label}</span>
    {children}
  </div>
);
