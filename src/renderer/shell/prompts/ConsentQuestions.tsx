/** Asks for consent: to changes on a node, with their exact commands, or to lending this computer's connection. */
import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../state/index.ts';
import { DestructiveQuestion, formatBytes } from '../../ui/index.ts';
import classes from './PromptDialog.module.css';
import { Shell, type QuestionProps } from './QuestionFrame.tsx';

/** The changes on a node, with the exact commands: nothing is executed before the user agrees. */
export function Consent({ prompt, busy, ready, answer }: QuestionProps<'consent'>) {
  const { t } = useTranslation();
  const { purpose } = prompt;
  if (purpose !== 'prepare') {
    const params = { node: prompt.nodeName, host: prompt.host };
    return (
      <DestructiveQuestion
        title={t(`prompts.${purpose}.title`, params)}
        text={t(`prompts.${purpose}.text`, params)}
        confirm={t(`prompts.${purpose}.confirm`)}
        cancel={t('prompts.cancel')}
        busy={busy}
        ready={ready}
        onCancel={() => answer({ kind: 'refuse' })}
        onConfirm={() => answer({ kind: 'accept' })}
      >
        <Changes prompt={prompt} />
      </DestructiveQuestion>
    );
  }
  return (
    <Shell
      title={t('prompts.consent.title', { node: prompt.nodeName })}
      onGiveUp={() => answer({ kind: 'refuse' })}
    >
      <Text size="sm">{t('prompts.consent.text', { node: prompt.nodeName, host: prompt.host })}</Text>
      <Changes prompt={prompt} />
      <Text size="xs" c="dimmed">
        {t('prompts.consent.remembered')}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" disabled={busy} data-autofocus onClick={() => answer({ kind: 'refuse' })}>
          {t('prompts.consent.refuse')}
        </Button>
        <Button disabled={!ready} loading={busy} onClick={() => answer({ kind: 'accept' })}>
          {t('prompts.consent.allow')}
        </Button>
      </Group>
    </Shell>
  );
}

/** What would be done, each with its exact command, and the files that are sent for it. */
function Changes({ prompt }: Pick<QuestionProps<'consent'>, 'prompt'>) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <>
      <ol className={classes.changes}>
        {prompt.changes.map(({ what, command }) => (
          <li key={command}>
            {what[language]}
            <pre className={classes.command} tabIndex={0} aria-label={t('prompts.consent.command')}>
              {command}
            </pre>
          </li>
        ))}
      </ol>
      {(prompt.files ?? []).map((file) => (
        <dl key={file.sha256} className={classes.key} aria-label={t('prompts.consent.file')}>
          <dt>{t('prompts.consent.file')}</dt>
          <dd className={classes.fingerprint}>{file.path}</dd>
          <dt>{file.kind}</dt>
          <dd>{formatBytes(file.bytes, language)}</dd>
          <dt>SHA-256</dt>
          <dd className={classes.fingerprint}>{file.sha256}</dd>
        </dl>
      ))}
    </>
  );
}

/** A lab may say that a node needs the connection; only the user can allow it. */
export function Lend({ prompt, busy, ready, answer }: QuestionProps<'lend'>) {
  const { t } = useTranslation();
  const params = { node: prompt.nodeName, host: prompt.host };
  return (
    <Shell title={t('prompts.lend.title', params)} onGiveUp={() => answer({ kind: 'refuse' })}>
      <Text size="sm">{t('prompts.lend.text', params)}</Text>
      <Text size="sm">{t('prompts.lend.limits')}</Text>
      <Text size="xs" c="dimmed">
        {t('prompts.lend.remembered')}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" disabled={busy} data-autofocus onClick={() => answer({ kind: 'refuse' })}>
          {t('prompts.lend.refuse')}
        </Button>
        <Button disabled={!ready} loading={busy} onClick={() => answer({ kind: 'accept' })}>
          {t('prompts.lend.allow')}
        </Button>
      </Group>
    </Shell>
  );
}
