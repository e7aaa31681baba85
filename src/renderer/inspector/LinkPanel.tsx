/** A link's fields. */
import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LabLink } from '../../shared/lab/lab.ts';
import { removeAndNotify } from '../commands/index.ts';
import { editLab, useLab, useLink } from '../state/index.ts';
import { FieldGroup, FieldRow, NumberField } from '../ui/index.ts';
import classes from './Inspector.module.css';
import { LinkNetwork } from './LinkNetwork.tsx';
import { useFieldIssue } from '../ui/index.ts';

const fields = [
  { name: 'bandwidthMbps', label: 'bandwidth', unit: 'Mbps' },
  { name: 'delayMs', label: 'delay', unit: 'ms' },
  { name: 'lossPercent', label: 'loss', unit: '%' },
  { name: 'jitterMs', label: 'jitter', unit: 'ms' },
] as const;

export function LinkPanel({ linkId }: { linkId: string }) {
  const { t } = useTranslation();
  const lab = useLab();
  const link = useLink(linkId);
  const issue = useFieldIssue();
  if (lab === undefined || link === undefined) return null;
  const index = lab.links.indexOf(link);
  const nameOf = (id: string): string => lab.nodes.find((node) => node.id === id)?.name ?? id;
  const [a, b] = [nameOf(link.ends[0]), nameOf(link.ends[1])];
  const field = ({ name, label, unit }: (typeof fields)[number]) => (
    <NumberField
      key={`${linkId}.${name}`}
      fieldKey={`link.${linkId}.${name}`}
      path={`links[${index}].${name}`}
      label={t(`inspector.link.${label}`)}
      unit={unit}
      value={link[name] ?? 0}
      schema={name === 'jitterMs' ? LabLink.shape.jitterMs.unwrap() : LabLink.shape[name]}
      issue={issue(`links[${index}].${name}`)}
      onChange={(value) =>
        editLab({ type: 'link', linkId, change: { [name]: value } }, `link.${linkId}.${name}`)
      }
    />
  );
  const ends = issue(`links[${index}].ends`);
  return (
    <>
      <FieldGroup title={t('inspector.link.title', { a, b })}>
        {ends !== undefined && <p className={classes.error}>{ends}</p>}
        <FieldRow>
          {field(fields[0])}
          {field(fields[2])}
        </FieldRow>
        <FieldRow>
          {field(fields[1])}
          {field(fields[3])}
        </FieldRow>
      </FieldGroup>
      <LinkNetwork lab={lab} link={link} />
      <div className={classes.actions}>
        <Button
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={14} />}
          onClick={() => removeAndNotify({ t })}
        >
          {t('inspector.link.delete')}
        </Button>
      </div>
    </>
  );
}
