/** Asks whether to trust a server: its host key, or weak algorithms. */
import { Button, Group, Text } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../state/index.ts';
import classes from './PromptDialog.module.css';
import { Shell, type QuestionProps } from './QuestionFrame.tsx';

export function HostKey({ prompt, busy, ready, answer }: QuestionProps<'host-key'>) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <Shell title={t('prompts.hostKey.title')} onGiveUp={() => answer({ kind: 'refuse' })}>
      <Text size="sm">{t('prompts.hostKey.text', { node: prompt.nodeName, host: prompt.host })}</Text>
      <dl className={classes.key}>
        <dt>{t('prompts.hostKey.type')}</dt>
        <dd>{prompt.keyType}</dd>
        <dt>{t('prompts.hostKey.fingerprint')}</dt>
        <dd className={classes.fingerprint}>{prompt.fingerprint}</dd>
      </dl>
      {prompt.knownOther !== undefined && (
        <>
          <Text size="sm" c="orange">
            {t('prompts.hostKey.knownOther')}
          </Text>
          <dl className={classes.key}>
            {prompt.knownOther.map(({ keyType, fingerprint, place }) => (
              <Fragment key={`${place} ${fingerprint}`}>
                <dt>{keyType}</dt>
                <dd className={classes.fingerprint}>
                  {fingerprint} ({place})
                </dd>
              </Fragment>
            ))}
          </dl>
        </>
      )}
      {prompt.skippedLines !== undefined && (
        <Text size="xs" c="dimmed" className={classes.instructions}>
          {t('prompts.hostKey.skippedLines')}
          {`\n${prompt.skippedLines.map((line) => line[language]).join('\n')}`}
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" disabled={busy} data-autofocus onClick={() => answer({ kind: 'refuse' })}>
          {t('prompts.hostKey.refuse')}
        </Button>
        <Button disabled={!ready} loading={busy} onClick={() => answer({ kind: 'accept' })}>
          {t('prompts.hostKey.trust')}
        </Button>
      </Group>
    </Shell>
  );
}

/** For a server that supports only weak algorithms: which ones, and why they are weak. */
export function WeakAlgorithms({ prompt, busy, ready, answer }: QuestionProps<'weak-algorithms'>) {
  const { t } = useTranslation();
  const language = useLanguage();
  const params = { node: prompt.nodeName, host: prompt.host };
  return (
    <Shell title={t('prompts.weak.title', params)} onGiveUp={() => answer({ kind: 'refuse' })}>
      <Text size="sm">{t('prompts.weak.text', params)}</Text>
      <dl className={classes.key}>
        {prompt.algorithms.map(({ name, why }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{why[language]}</dd>
          </Fragment>
        ))}
      </dl>
      <Text size="xs" c="dimmed">
        {t('prompts.weak.remembered', params)}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" disabled={busy} data-autofocus onClick={() => answer({ kind: 'refuse' })}>
          {t('prompts.weak.refuse')}
        </Button>
        <Button disabled={!ready} loading={busy} onClick={() => answer({ kind: 'accept' })}>
          {t('prompts.weak.allow')}
        </Button>
      </Group>
    </Shell>
  );
}
