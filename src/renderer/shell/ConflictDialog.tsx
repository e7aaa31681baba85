/** Asks what to do when the lab can no longer be saved under its id: keep this version as a copy, or give it up. */
import { Button, Group, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/index.ts';
import { asRinglabError, decideConflict, report, useLabStore, type ConflictChoice } from '../state/index.ts';

export function ConflictDialog() {
  const { t } = useTranslation();
  const api = useApi();
  const found = useLabStore(({ save }) => (save.state === 'conflict' ? save.stored : undefined));
  const name = useLabStore((state) => state.lab?.name ?? '');
  const [busy, setBusy] = useState(false);
  // The dialog keeps its words while it fades out.
  const [stored, setStored] = useState(found ?? 'newer');
  if (found !== undefined && found !== stored) setStored(found);
  const isNewer = stored === 'newer';
  const decide = (choice: ConflictChoice): void => {
    setBusy(true);
    const copyName = isNewer ? t('shell.conflict.copyName', { name }).slice(0, 120) : name;
    decideConflict(api, choice, copyName)
      .catch((error: unknown) => report(asRinglabError(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Modal
      opened={found !== undefined}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t(`shell.conflict.title.${stored}`)}
    >
      <Text size="sm">{t(`shell.conflict.text.${stored}`)}</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" disabled={busy} onClick={() => decide(isNewer ? 'reload' : 'close')}>
          {t(isNewer ? 'shell.conflict.reload' : 'shell.conflict.close')}
        </Button>
        <Button data-autofocus loading={busy} onClick={() => decide('copy')}>
          {t(isNewer ? 'shell.conflict.copy' : 'shell.conflict.keep')}
        </Button>
      </Group>
    </Modal>
  );
}
