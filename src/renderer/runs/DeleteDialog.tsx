/** Asks before a run is deleted, and whether its files on the nodes go too. */
import { Button, Checkbox, Modal } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toWireError, type WireError } from '../../shared/errors.ts';
import type { RunRecord } from '../../shared/run.ts';
import { useApi } from '../api/index.ts';
import { ErrorNote } from '../inspector/index.ts';
import { dropRun } from '../state/index.ts';
import classes from './runs.module.css';

export function DeleteDialog({ run, onClose }: { run: RunRecord; onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const [nodes, setNodes] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [error, setError] = useState<WireError>();
  const remove = async (): Promise<void> => {
    setDeleting(true);
    try {
      await api.call('run.delete', { runId: run.id, nodes });
      onClose();
      dropRun(run.id);
    } catch (caught) {
      setError(toWireError(caught));
      setDeleting(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={t('runs.delete.title')} zIndex={330}>
      <p className={classes.dialogText}>{t('runs.delete.text', { name: run.name })}</p>
      <Checkbox
        size="xs"
        label={t('runs.delete.nodes')}
        checked={nodes}
        onChange={(event) => setNodes(event.currentTarget.checked)}
      />
      {error !== undefined && <ErrorNote error={error} />}
      <div className={classes.dialogButtons}>
        <Button variant="default" data-autofocus onClick={onClose}>
          {t('shell.cancel')}
        </Button>
        <Button color="red" loading={deleting} onClick={() => void remove()}>
          {t('runs.delete.confirm')}
        </Button>
      </div>
    </Modal>
  );
}
