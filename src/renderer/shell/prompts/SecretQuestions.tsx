/** Prompts with a text field: passwords, passphrases, keys, and the server's own prompts. */
import { Checkbox, PasswordInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWindowStore } from '../../state/index.ts';
import classes from './PromptDialog.module.css';
import { Answer, Shell, type QuestionProps } from './QuestionFrame.tsx';

export function Secret({
  prompt,
  busy,
  ready,
  answer,
}: QuestionProps<'password' | 'passphrase' | 'sudo' | 'bucket-key' | 'script-variable'>) {
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
          : prompt.kind === 'script-variable'
            ? [
                t('prompts.scriptVariable.title', { name: prompt.variable }),
                t('prompts.scriptVariable.text', { lab: prompt.nodeName }),
                t('prompts.scriptVariable.label'),
              ]
            : [
                t('prompts.sudo.title', { ...params, user: prompt.user }),
                t('prompts.sudo.text', params),
                t('prompts.sudo.label'),
              ];
  return (
    <Shell title={title} onGiveUp={() => answer({ kind: 'refuse' })}>
      <Answer
        busy={busy}
        // What was typed was meant for this question.
        ready={ready || secret !== ''}
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

export function Interactive({ prompt, busy, ready, answer }: QuestionProps<'interactive'>) {
  const { t } = useTranslation();
  const [answers, setAnswers] = useState<readonly string[]>(() => prompt.prompts.map(() => ''));
  const title =
    prompt.title.trim() === '' ? t('prompts.interactive.title', { node: prompt.nodeName }) : prompt.title;
  return (
    <Shell title={title} onGiveUp={() => answer({ kind: 'refuse' })}>
      <Answer
        busy={busy}
        ready={ready || answers.some((one) => one !== '')}
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
