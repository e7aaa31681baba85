/** Edits a run's name and notes. */
import { Button, Modal, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { useApi } from '../../api/index.ts';
import { CheckedInput, ErrorNote, useFocusBack } from '../../ui/index.ts';
import { putRun } from '../../state/index.ts';
import dialogs from './dialogs.module.css';

export function EditDialog({ run, onClose }: { run: RunSummary; onClose: () => void }) {
  const { t } = useTranslation();
  useFocusBack();
  const api = useApi();
  const [name, setName] = useState(run.name);
  const [notes, setNotes] = useState(run.notes);
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<WireError>();
  const bad = name.trim() === '';

  const save = async (): Promise<void> => {
    if (bad) return;
    setSaving(true);
    try {
      putRun(await api.call('run.annotate', { runId: run.id, name: name.trim(), notes }));
      onClose();
    } catch (caught) {
      setError(toWireError(caught));
      setSaving(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={t('runs.edit.title')} zIndex={330}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <CheckedInput
          label={t('runs.edit.name')}
          value={name}
          maxLength={120}
          data-autofocus
          problem={bad ? t('runs.edit.emptyName') : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Textarea
          mt="sm"
          label={t('runs.edit.notes')}
          value={notes}
          maxLength={20_000}
          autosize
          minRows={4}
          maxRows={12}
          onChange={(event) => setNotes(event.currentTarget.value)}
        />
        {error !== undefined && <ErrorNote error={error} />}
        <div className={dialogs.dialogButtons}>
          <Button variant="default" onClick={onClose}>
            {t('shell.cancel')}
          </Button>
          <Button type="submit" loading={saving} disabled={bad}>
            {t('runs.edit.save')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
