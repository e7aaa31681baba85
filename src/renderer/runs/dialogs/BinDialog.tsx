/** Asks before runs go to the bin, and names them. */
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DestructiveQuestion } from '../../ui/index.ts';
import { useRunActions } from '../actions/index.ts';
import dialogs from './dialogs.module.css';

/** More names than a user reads before answering are counted. */
const maxNames = 8;

export function BinDialog({
  runs,
  onClose,
}: {
  runs: readonly { id: string; name: string }[];
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const actions = useRunActions();
  const [nodes, setNodes] = useState(false);
  return (
    <DestructiveQuestion
      title={t('runTable.binTitle', { count: runs.length, name: runs[0]?.name ?? '' })}
      text={t('runTable.binText')}
      confirm={t('runs.delete.confirm')}
      cancel={t('shell.cancel')}
      onCancel={onClose}
      onConfirm={() => {
        onClose();
        void actions.remove(runs, nodes);
      }}
    >
      {runs.length > 1 && (
        <ul className={dialogs.names}>
          {runs.slice(0, maxNames).map(({ id, name }) => (
            <li key={id}>{name}</li>
          ))}
          {runs.length > maxNames && <li>{t('runTable.binMore', { count: runs.length - maxNames })}</li>}
        </ul>
      )}
      <Checkbox
        size="xs"
        label={t('runs.delete.nodes')}
        checked={nodes}
        onChange={(event) => setNodes(event.currentTarget.checked)}
      />
    </DestructiveQuestion>
  );
}
