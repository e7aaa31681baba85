/** Starts a new run from a checkpoint of this one, which does not change. */
import { Button, Modal, NumberInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CheckpointFile } from '../../../shared/run/checkpoint.ts';
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { ErrorNote, useComplaint, useFocusBack } from '../../ui/index.ts';
import dialogs from './dialogs.module.css';

export interface GoOnDialogProps {
  readonly run: RunRecord;
  readonly file: CheckpointFile;
  /** Epochs completed in it. */
  readonly epoch: number;
  readonly onClose: () => void;
}

const maxEpochs = 100_000;

export function GoOnDialog({ run, file, epoch, onClose }: GoOnDialogProps) {
  const { t } = useTranslation();
  useFocusBack();
  const api = useApi();
  const [epochs, setEpochs] = useState<number | string>(run.epochs > epoch ? run.epochs : epoch + run.epochs);
  const [rate, setRate] = useState<number | string>(run.lab.experiment.learningRate);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<WireError>();
  const enough = typeof epochs === 'number' && Number.isInteger(epochs) && epochs > epoch;
  const rateIs = typeof rate === 'number' && rate > 0 && rate <= 1000;
  const epochsProblem = enough ? undefined : t('checkpoints.goOn.more', { epoch });
  const epochsComplaint = useComplaint('epochs', epochsProblem, String(epochs));
  const rateProblem = rateIs ? undefined : t('checkpoints.goOn.rate');
  const rateComplaint = useComplaint('rate', rateProblem, String(rate));
  const start = async (): Promise<void> => {
    if (!enough || !rateIs) return;
    setBusy(true);
    try {
      const changes = [
        { epochs, ...(rate === run.lab.experiment.learningRate ? {} : { learningRate: rate }) },
      ];
      const { runIds } = await api.call('run.queue', {
        from: { runId: run.id },
        changes,
        checkpoint: { file, epoch },
      });
      notifications.show({ color: 'petrol', message: t('runTable.queued', { count: runIds.length }) });
      onClose();
    } catch (caught) {
      setError(toWireError(caught));
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} zIndex={330} title={t('checkpoints.goOn.title', { epoch })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <p className={dialogs.dialogText}>{t('checkpoints.goOn.text', { name: run.name, file })}</p>
        <NumberInput
          label={t('checkpoints.goOn.epochs')}
          value={epochs}
          min={epoch + 1}
          max={maxEpochs}
          allowDecimal={false}
          clampBehavior="none"
          data-autofocus
          {...epochsComplaint}
          onChange={setEpochs}
        />
        <NumberInput
          label={t('settingNames.learningRate')}
          value={rate}
          min={0}
          max={1000}
          step={0.01}
          mt={8}
          clampBehavior="none"
          {...rateComplaint}
          onChange={setRate}
        />
        {error !== undefined && <ErrorNote error={error} />}
        <div className={dialogs.dialogButtons}>
          <Button variant="default" onClick={onClose}>
            {t('shell.cancel')}
          </Button>
          <Button type="submit" loading={busy} disabled={!enough || !rateIs}>
            {t('checkpoints.goOn.start')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
