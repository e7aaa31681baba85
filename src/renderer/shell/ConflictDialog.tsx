/** Asks what to do when another window has saved the lab: take its version, or keep this one as a copy. */
import { Button, Group, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/index.ts';
import { asRinglabError, decideConflict, report, useLabStore } from '../state/index.ts';

export function ConflictDialog() {
  const { t } = useTranslation();
  const api = useApi();
  const open = useLabStore((state) => state.save.state === 'conflict');
  const name = useLabStore((state) => state.lab?.name ?? '');
  const [busy, setBusy] = useState(false);
  const decide = (choice: 'reload' | 'copy'): void => {
    setBusy(true);
    decideConflict(api, choice, t('shell.conflict.copyName', { name }).slice(0, 120))
      .catch((error: unknown) => report(asRinglabError(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Modal
      opened={open}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('shell.conflict.title')}
    >
      <Text size="sm">{t('shell.conflict.text')}</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" disabled={busy} onClick={() => decide('reload')}>
          {t('shell.conflict.reload')}
        </Button>
        <Button data-autofocus loading={busy} onClick={() => decide('copy')}>
          {t('shell.conflict.copy')}
        </Button>
      </Group>
    </Modal>
  );
}
