/** The lab's own fields, and where it is stored. */
import { useTranslation } from 'react-i18next';
import { LabDocument } from '../../shared/lab/lab.ts';
import { editLab, useLabStore } from '../state/index.ts';
import { FieldGroup, TextField } from '../ui/index.ts';
import classes from './Inspector.module.css';

export function LabPanel() {
  const { t } = useTranslation();
  const name = useLabStore((state) => state.lab?.name);
  const description = useLabStore((state) => state.lab?.description);
  const path = useLabStore((state) => state.path);
  const nodes = useLabStore((state) => state.lab?.nodes.length ?? 0);
  const links = useLabStore((state) => state.lab?.links.length ?? 0);
  if (name === undefined || description === undefined) return null;
  return (
    <FieldGroup title={t('inspector.lab.title')}>
      <TextField
        fieldKey="lab.name-field"
        label={t('inspector.lab.name')}
        value={name}
        schema={LabDocument.shape.name}
        onChange={(value) => editLab({ type: 'lab', change: { name: value } }, 'lab.name')}
      />
      <TextField
        fieldKey="lab.description"
        label={t('inspector.lab.description')}
        long
        value={description}
        schema={LabDocument.shape.description}
        onChange={(value) => editLab({ type: 'lab', change: { description: value } }, 'lab.description')}
      />
      <dl className={classes.facts}>
        <dt>{t('inspector.lab.contents')}</dt>
        <dd>
          {t('inspector.lab.nodes', { count: nodes })}, {t('inspector.lab.links', { count: links })}
        </dd>
        <dt>{t('inspector.lab.file')}</dt>
        <dd className={classes.path}>{path}</dd>
      </dl>
    </FieldGroup>
  );
}
