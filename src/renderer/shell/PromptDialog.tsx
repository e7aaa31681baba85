/** Main's questions: host keys, passwords, passphrases, the server's own prompts, sudo, consents. One at a time. */
import { Button, Checkbox, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { Fragment, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Prompt, PromptAnswer } from '../../shared/contract/prompts.ts';
import { useApi } from '../api/index.ts';
import { formatBytes } from '../ui/index.ts';
import {
  asRinglabError,
  closePrompt,
  report,
  useFirstPrompt,
  useLanguage,
  usePromptStore,
  useWindowStore,
} from '../state/index.ts';
import classes from './PromptDialog.module.css';

export function PromptDialog() {
  const { t } = useTranslation();
  const prompt = useFirstPrompt();
  const more = usePromptStore((state) => Math.max(0, state.open.length - 1));
  return (
    <>
      {prompt !== undefined && <Question key={prompt.id} prompt={prompt} />}
      {more > 0 && (
        <span className={classes.more} aria-live="polite">
          {t('prompts.more', { count: more })}
        </span>
      )}
    </>
  );
}

function Question({ prompt }: { prompt: Prompt }) {
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const answer = (given: PromptAnswer): void => {
    setBusy(true);
    api.call('prompt.answer', { promptId: prompt.id, answer: given }).then(
      () => closePrompt(prompt.id),
      (error: unknown) => {
        setBusy(false);
        const known = asRinglabError(error);
        // Somebody answered in another window, or the request is over: there is nothing left to ask.
        if (known.code === 'not_found') closePrompt(prompt.id);
        else report(known);
      },
    );
  };
  const props = { busy, answer };
  switch (prompt.kind) {
    case 'host-key':
      return <HostKey prompt={prompt} {...props} />;
    case 'interactive':
      return <Interactive prompt={prompt} {...props} />;
    case 'consent':
      return <Consent prompt={prompt} {...props} />;
    case 'weak-algorithms':
      return <WeakAlgorithms prompt={prompt} {...props} />;
    case 'lend':
      return <Lend prompt={prompt} {...props} />;
    case 'password':
    case 'passphrase':
    case 'sudo':
    case 'bucket-key':
      return <Secret prompt={prompt} {...props} />;
  }
}

interface QuestionProps<K extends Prompt['kind']> {
  readonly prompt: Extract<Prompt, { kind: K }>;
  readonly busy: boolean;
  readonly answer: (given: PromptAnswer) => void;
}

function HostKey({ prompt, busy, answer }: QuestionProps<'host-key'>) {
  const { t } = useTranslation();
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
          {`\n${prompt.skippedLines.join('\n')}`}
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" disabled={busy} data-autofocus onClick={() => answer({ kind: 'refuse' })}>
          {t('prompts.hostKey.refuse')}
        </Button>
        <Button loading={busy} onClick={() => answer({ kind: 'accept' })}>
          {t('prompts.hostKey.trust')}
        </Button>
      </Group>
    </Shell>
  );
}

/** What would be changed on a node, with the exact commands: nothing is done before it is allowed. */
function Consent({ prompt, busy, answer }: QuestionProps<'consent'>) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <Shell
      title={t('prompts.consent.title', { node: prompt.nodeName })}
      onGiveUp={() => answer({ kind: 'refuse' })}
    >
      <Text size="sm">{t('prompts.consent.text', { node: prompt.nodeName, host: prompt.host })}</Text>
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
      <Text size="xs" c="dimmed">
        {t('prompts.consent.remembered')}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" disabled={busy} data-autofocus onClick={() => answer({ kind: 'refuse' })}>
          {t('prompts.consent.refuse')}
        </Button>
        <Button loading={busy} onClick={() => answer({ kind: 'accept' })}>
          {t('prompts.consent.allow')}
        </Button>
      </Group>
    </Shell>
  );
}

/** A server with nothing better: which algorithms are weak, and why. */
function WeakAlgorithms({ prompt, busy, answer }: QuestionProps<'weak-algorithms'>) {
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
        <Button loading={busy} onClick={() => answer({ kind: 'accept' })}>
          {t('prompts.weak.allow')}
        </Button>
      </Group>
    </Shell>
  );
}

/** A lab may say that a node needs the connection; that it gets it, the user alone decides. */
function Lend({ prompt, busy, answer }: QuestionProps<'lend'>) {
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
        <Button loading={busy} onClick={() => answer({ kind: 'accept' })}>
          {t('prompts.lend.allow')}
        </Button>
      </Group>
    </Shell>
  );
}

function Secret({ prompt, busy, answer }: QuestionProps<'password' | 'passphrase' | 'sudo' | 'bucket-key'>) {
  const { t } = useTranslation();
  const keyring = useWindowStore((state) => state.info?.secrets === 'keyring');
  const [secret, setSecret] = useState('');
  const [remember, setRemember] = useState(false);
  const params = { node: prompt.nodeName, host: prompt.host };
  const [title, text, label] =
    prompt.kind === 'password'
      ? [
          t('prompts.password.title', params),
          t('prompts.password.text', { ...params, user: prompt.user }),
          t('prompts.password.label'),
        ]
      : prompt.kind === 'passphrase'
        ? [
            t('prompts.passphrase.title', params),
            t('prompts.passphrase.text', { file: prompt.keyFile }),
            t('prompts.passphrase.label'),
          ]
        : prompt.kind === 'bucket-key'
          ? [
              t('prompts.bucketKey.title', { bucket: prompt.bucket }),
              t('prompts.bucketKey.text', { host: prompt.host, id: prompt.accessKeyId }),
              t('prompts.bucketKey.label'),
            ]
          : [
              t('prompts.sudo.title', params),
              t('prompts.sudo.text', { ...params, user: prompt.user }),
              t('prompts.sudo.label'),
            ];
  return (
    <Shell title={title} onGiveUp={() => answer({ kind: 'refuse' })}>
      <Answer
        busy={busy}
        onGiveUp={() => answer({ kind: 'refuse' })}
        onAnswer={() => answer({ kind: 'secret', secret, remember })}
      >
        <Text size="sm">{text}</Text>
        <PasswordInput
          data-autofocus
          size="sm"
          label={label}
          autoComplete="off"
          value={secret}
          error={'again' in prompt && prompt.again === true && secret === '' ? t('prompts.again') : undefined}
          maxLength={4096}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
        <Checkbox
          size="xs"
          label={keyring ? t('prompts.remember') : t('prompts.rememberMemory')}
          checked={remember}
          onChange={(event) => setRemember(event.currentTarget.checked)}
        />
      </Answer>
    </Shell>
  );
}

function Interactive({ prompt, busy, answer }: QuestionProps<'interactive'>) {
  const { t } = useTranslation();
  const [answers, setAnswers] = useState<readonly string[]>(() => prompt.prompts.map(() => ''));
  const title =
    prompt.title.trim() === '' ? t('prompts.interactive.title', { node: prompt.nodeName }) : prompt.title;
  return (
    <Shell title={title} onGiveUp={() => answer({ kind: 'refuse' })}>
      <Answer
        busy={busy}
        onGiveUp={() => answer({ kind: 'refuse' })}
        onAnswer={() => answer({ kind: 'answers', answers: [...answers] })}
      >
        <Text size="sm" className={classes.instructions}>
          {prompt.instructions.trim() === ''
            ? t('prompts.interactive.text', { host: prompt.host })
            : prompt.instructions}
        </Text>
        {prompt.prompts.map((asked, index) => {
          const Field = asked.echo ? TextInput : PasswordInput;
          return (
            <Field
              key={index}
              size="sm"
              autoComplete="off"
              label={asked.text.trim() === '' ? t('prompts.interactive.label') : asked.text}
              maxLength={4096}
              value={answers[index] ?? ''}
              onChange={(event: { currentTarget: { value: string } }) => {
                const { value } = event.currentTarget;
                setAnswers((now) => now.map((old, at) => (at === index ? value : old)));
              }}
              {...(index === 0 ? { 'data-autofocus': true } : {})}
            />
          );
        })}
      </Answer>
    </Shell>
  );
}

function Shell(props: { title: string; onGiveUp: () => void; children: ReactNode }) {
  return (
    <Modal
      opened
      onClose={props.onGiveUp}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={props.title}
    >
      <Stack gap="sm">{props.children}</Stack>
    </Modal>
  );
}

function Answer(props: { busy: boolean; onAnswer: () => void; onGiveUp: () => void; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        props.onAnswer();
      }}
    >
      <Stack gap="sm">
        {props.children}
        <Group justify="flex-end" mt="xs">
          <Button variant="default" disabled={props.busy} onClick={props.onGiveUp}>
            {t('prompts.cancel')}
          </Button>
          <Button type="submit" loading={props.busy}>
            {t('prompts.ok')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
