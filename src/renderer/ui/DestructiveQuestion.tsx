/**
 * The one look of every question before something is destroyed: a warning sign, what is lost, a red button with the verb. The
 * button that changes nothing has the focus, so that neither Enter nor Escape destroys anything.
 */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './DestructiveQuestion.module.css';
import { useFocusBack } from './focus-back.ts';

export interface Destruction {
  readonly title: string;
  /** What is lost, and what stays. */
  readonly text: string;
  /** The verb of the red button. */
  readonly confirm: string;
  readonly cancel: string;
}

interface Answers {
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  /** An answer is being sent. */
  readonly busy?: boolean;
  /** False while the red button waits: the question has only just appeared. */
  readonly ready?: boolean;
  /** The exact commands, or a choice that belongs to it. */
  readonly children?: ReactNode;
}

/** Above the dock's full screen and its dialogs. */
const zIndex = 350;

const Title = ({ title }: Pick<Destruction, 'title'>) => (
  <span className={classes.title}>
    <IconAlertTriangle size={18} aria-hidden />
    {title}
  </span>
);

function Body({
  text,
  confirm,
  cancel,
  busy = false,
  ready = true,
  children,
  onConfirm,
  onCancel,
}: Destruction & Answers) {
  return (
    <Stack gap="sm">
      <p className={classes.text}>{text}</p>
      {children}
      <Group justify="flex-end" mt="xs">
        <Button variant="default" disabled={busy} data-autofocus onClick={onCancel}>
          {cancel}
        </Button>
        <Button color="red" disabled={!ready} loading={busy} onClick={onConfirm}>
          {confirm}
        </Button>
      </Group>
    </Stack>
  );
}

export function DestructiveQuestion(props: Destruction & Answers) {
  useFocusBack();
  return (
    <Modal
      opened
      onClose={props.onCancel}
      closeOnClickOutside={false}
      withCloseButton={false}
      zIndex={zIndex}
      title={<Title title={props.title} />}
    >
      <Body {...props} />
    </Modal>
  );
}

/** The same question where no component of its own can show it: from a key, a menu or the command palette. */
export function askBeforeDestroying(question: Destruction, onConfirm: () => void): void {
  const modalId = `destroy ${question.title}`;
  const close = (): void => modals.close(modalId);
  modals.open({
    modalId,
    title: <Title title={question.title} />,
    withCloseButton: false,
    closeOnClickOutside: false,
    zIndex,
    children: (
      <Body
        {...question}
        onCancel={close}
        onConfirm={() => {
          close();
          onConfirm();
        }}
      />
    ),
  });
}
