/** The common parts of all prompts: properties, dialog and buttons. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Prompt, PromptAnswer } from '../../../shared/contract/prompts.ts';
import { useFocusBack } from '../../ui/index.ts';

export interface QuestionProps<K extends Prompt['kind']> {
  readonly prompt: Extract<Prompt, { kind: K }>;
  readonly busy: boolean;
  /** The question has been there for long enough to be read: it may be agreed to. */
  readonly ready: boolean;
  readonly answer: (given: PromptAnswer) => void;
}

export function Shell(props: { title: string; onGiveUp: () => void; children: ReactNode }) {
  useFocusBack();
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

export function Answer(props: {
  busy: boolean;
  ready: boolean;
  onAnswer: () => void;
  onGiveUp: () => void;
  children: ReactNode;
}) {
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
          <Button type="submit" disabled={!props.ready} loading={props.busy}>
            {t('prompts.ok')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
