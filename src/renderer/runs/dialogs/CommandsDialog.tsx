/** The commands of every rank as a script that can be run by hand. */
import { Button, Modal } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import { useApi } from '../../api/index.ts';
import { ErrorNote, useFocusBack } from '../../ui/index.ts';
import classes from './CommandsDialog.module.css';
import dialogs from './dialogs.module.css';

export interface CommandsDialogProps {
  readonly runId: string;
  readonly onClose: () => void;
  readonly onSave: () => void;
}

export function CommandsDialog({ runId, onClose, onSave }: CommandsDialogProps) {
  const { t } = useTranslation();
  useFocusBack();
  const api = useApi();
  const clipboard = useClipboard();
  const [text, setText] = useState<string>();
  const [error, setError] = useState<WireError>();
  useEffect(() => {
    const stop = new AbortController();
    api.call('run.commands', { runId }, stop.signal).then(
      (answer) => setText(answer.text),
      (caught: unknown) => {
        if (!stop.signal.aborted) setError(toWireError(caught));
      },
    );
    return () => stop.abort();
  }, [api, runId]);
  return (
    <Modal opened onClose={onClose} title={t('runs.commands.title')} size="xl" zIndex={330}>
      <p className={dialogs.dialogText}>{t('runs.commands.text')}</p>
      {error !== undefined && <ErrorNote error={error} />}
      <pre
        className={classes.script}
        tabIndex={0}
        aria-label={t('runs.commands.label')}
        aria-busy={text === undefined}
      >
        {text ?? '…'}
      </pre>
      <div className={dialogs.dialogButtons}>
        <Button variant="default" disabled={text === undefined} onClick={() => clipboard.copy(text)}>
          {clipboard.copied ? t('runs.commands.copied') : t('runs.commands.copy')}
        </Button>
        <Button disabled={text === undefined} onClick={onSave}>
          {t('runs.commands.save')}
        </Button>
      </div>
    </Modal>
  );
}
