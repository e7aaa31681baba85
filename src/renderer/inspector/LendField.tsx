/** The switch that lends a node this computer's internet connection, and the traffic over it. */
import { Badge, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { LabNode } from '../../shared/lab/lab.ts';
import type { Lent } from '../../shared/node/provision.ts';
import { formatBytes } from '../ui/index.ts';
import { editLab, useLanguage } from '../state/index.ts';
import classes from './Inspector.module.css';

export interface LendFieldProps {
  readonly node: LabNode;
  readonly lent: Lent | undefined;
  /** Disabled while the node is prepared: the preparation keeps the setting that it started with. */
  readonly disabled: boolean;
}

export function LendField({ node, lent, disabled }: LendFieldProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  // A local node uses this computer's connection anyway.
  if (node.access.type === 'local') return null;
  const on = node.lendInternet === true;
  return (
    <div className={classes.lend}>
      <Switch
        size="xs"
        label={t('inspector.lend.label')}
        description={t('inspector.lend.help')}
        checked={on}
        disabled={disabled}
        onChange={(event) =>
          editLab({ type: 'node', nodeId: node.id, change: { lendInternet: event.currentTarget.checked } })
        }
      />
      {on && (
        <Badge
          size="sm"
          tt="none"
          variant={lent?.open === true ? 'filled' : 'light'}
          data-lent={lent?.open === true}
        >
          {t(lent?.open === true ? 'inspector.lend.open' : 'inspector.lend.on', {
            received: formatBytes(lent?.received ?? 0, language),
            sent: formatBytes(lent?.sent ?? 0, language),
          })}
        </Badge>
      )}
    </div>
  );
}
