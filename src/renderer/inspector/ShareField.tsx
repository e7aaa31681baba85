/** The switch that lets a node exchange trainer builds with the lab's other nodes that share. */
import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { LabNode } from '../../shared/lab/lab.ts';
import { editLab } from '../state/index.ts';
import classes from './Inspector.module.css';

export function ShareField({ node, disabled }: { readonly node: LabNode; readonly disabled: boolean }) {
  const { t } = useTranslation();
  // Local nodes run only what this computer has built.
  if (node.access.type === 'local') return null;
  return (
    <div className={classes.lend}>
      <Switch
        size="xs"
        label={t('inspector.share.label')}
        description={t('inspector.share.help')}
        checked={node.shareBuilds === true}
        disabled={disabled}
        onChange={(event) =>
          editLab({ type: 'node', nodeId: node.id, change: { shareBuilds: event.currentTarget.checked } })
        }
      />
    </div>
  );
}
