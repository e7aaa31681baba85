/** A node's fields, whether it can be reached, and its preparation. */
import { Button, Checkbox } from '@mantine/core';
import { IconCopyPlus, IconLink, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LabNode, NodeKind } from '../../shared/lab/lab.ts';
import { clusterOf } from '../../shared/lab/reached.ts';
import { useApi } from '../api/index.ts';
import { removeAndNotify } from '../commands/index.ts';
import {
  asRinglabError,
  connectFrom,
  duplicateSelected,
  editLab,
  report,
  saveNow,
  select,
  useLab,
  useNode,
} from '../state/index.ts';
import { AccessFields } from './AccessFields.tsx';
import { ConnectionTest } from './ConnectionTest.tsx';
import { ChoiceField, FieldGroup, FieldRow, TextField } from '../ui/index.ts';
import classes from './Inspector.module.css';
import { useFieldIssue } from '../ui/index.ts';
import { PlacementFields } from './PlacementFields.tsx';
import { Readiness } from './Readiness.tsx';
import { useLeftDrafts } from './use-left-drafts.ts';

export function NodePanel({ nodeId }: { nodeId: string }) {
  const { t } = useTranslation();
  const api = useApi();
  const lab = useLab();
  const node = useNode(nodeId);
  const issue = useFieldIssue();
  useLeftDrafts(`node.${nodeId}`, node);
  if (lab === undefined || node === undefined) return null;
  const onCluster = clusterOf(lab) !== undefined;
  const path = `nodes[${lab.nodes.indexOf(node)}]`;
  const saveAndDuplicate = (): void => {
    select({ nodes: [nodeId], links: [] });
    duplicateSelected();
    saveNow(api).catch((error: unknown) => report(asRinglabError(error)));
  };
  return (
    <>
      <FieldGroup title={t('inspector.node.title')}>
        <FieldRow>
          <TextField
            fieldKey={`node.${nodeId}.name`}
            path={`${path}.name`}
            label={t('inspector.node.name')}
            value={node.name}
            schema={LabNode.shape.name}
            issue={issue(`${path}.name`)}
            onChange={(name) => editLab({ type: 'node', nodeId, change: { name } }, `node.${nodeId}.name`)}
          />
          <ChoiceField
            fieldKey={`node.${nodeId}.kind`}
            label={t('inspector.node.kind')}
            value={node.kind}
            choices={NodeKind.options.map((value) => ({ value, label: t(`lab.kind.${value}`) }))}
            onChange={(kind) => editLab({ type: 'node', nodeId, change: { kind } })}
          />
        </FieldRow>
        {issue(path) !== undefined && <p className={classes.error}>{issue(path)}</p>}
        <FieldRow>
          <TextField
            fieldKey={`node.${nodeId}.group`}
            label={t('inspector.group')}
            value={node.group ?? ''}
            schema={LabNode.shape.name}
            onChange={(group) => editLab({ type: 'node', nodeId, change: { group } }, `node.${nodeId}.group`)}
          />
          <Checkbox
            size="xs"
            mt={24}
            label={t('inspector.locked')}
            checked={node.locked === true}
            onChange={(event) =>
              editLab({ type: 'node', nodeId, change: { locked: event.currentTarget.checked } })
            }
          />
        </FieldRow>
        <div className={classes.buttons}>
          <Button variant="light" px={9} leftSection={<IconCopyPlus size={14} />} onClick={saveAndDuplicate}>
            {t('inspector.node.saveAndDuplicate')}
          </Button>
          <Button
            variant="default"
            px={9}
            leftSection={<IconLink size={14} />}
            onClick={() => connectFrom(nodeId)}
          >
            {t('inspector.node.connectTo')}
          </Button>
        </div>
      </FieldGroup>
      {node.kind !== 'switch' && (
        <>
          {onCluster ? (
            <p className={classes.hint}>{t('inspector.where.node')}</p>
          ) : (
            <>
              <AccessFields node={node} path={path} />
              <ConnectionTest key={`${nodeId} ${JSON.stringify(node.access)}`} node={node} />
            </>
          )}
          <Readiness node={node} />
        </>
      )}
      {node.kind === 'gpu' && (
        <FieldGroup title={t('inspector.driver.title')}>
          <TextField
            fieldKey={`node.${nodeId}.driverFile`}
            path={`${path}.driverFile`}
            label={t('inspector.driver.file')}
            description={t('inspector.driver.help')}
            placeholder={t('inspector.driver.none')}
            value={node.driverFile ?? ''}
            schema={LabNode.shape.driverFile.unwrap()}
            issue={issue(`${path}.driverFile`)}
            onChange={(driverFile) =>
              editLab({ type: 'node', nodeId, change: { driverFile } }, `node.${nodeId}.driverFile`)
            }
          />
        </FieldGroup>
      )}
      {node.kind !== 'switch' && <PlacementFields node={node} />}
      <div className={classes.actions}>
        <Button
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={14} />}
          onClick={() => removeAndNotify({ t })}
        >
          {t('inspector.node.delete')}
        </Button>
      </div>
    </>
  );
}
