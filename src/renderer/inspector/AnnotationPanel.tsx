/** The fields of a note or a shape on the drawing. */
import { Button, Checkbox } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import {
  Annotation,
  AnnotationColour,
  AnnotationKind,
  AnnotationLength,
  type AnnotationColour as Colour,
} from '../../shared/lab/annotation.ts';
import { removeAndNotify } from '../commands/index.ts';
import { changeAnnotation, editLab, useAnnotation, useLabStore } from '../state/index.ts';
import { annotationColour } from '../theme/index.ts';
import classes from './Annotation.module.css';
import { ChoiceField, FieldGroup, FieldRow, NumberField, TextField } from '../ui/index.ts';
import inspector from './Inspector.module.css';

export function AnnotationPanel({ id }: { id: string }) {
  const { t } = useTranslation();
  const annotation = useAnnotation(id);
  if (annotation === undefined) return null;
  const { kind, size, text, colour, locked } = annotation;
  const length = (name: 'width' | 'height') => (
    <NumberField
      fieldKey={`annotation.${id}.${name}`}
      label={t(`inspector.annotation.${name}`)}
      unit="px"
      value={size[name]}
      schema={AnnotationLength}
      onChange={(value) => changeAnnotation(id, { size: { ...size, [name]: value } }, 'size')}
    />
  );
  return (
    <>
      <FieldGroup title={t(`canvas.annotation.kind.${kind}`)}>
        <TextField
          long
          fieldKey={`annotation.${id}.text`}
          label={t('inspector.annotation.text')}
          value={text}
          schema={Annotation.shape.text}
          onChange={(value) => changeAnnotation(id, { text: value }, 'text')}
        />
        <Colours
          label={t('inspector.annotation.colour')}
          value={colour}
          onChange={(value) => changeAnnotation(id, { colour: value })}
        />
        <ChoiceField
          fieldKey={`annotation.${id}.kind`}
          label={t('inspector.annotation.kind')}
          value={kind}
          choices={AnnotationKind.options.map((value) => ({
            value,
            label: t(`canvas.annotation.kind.${value}`),
          }))}
          onChange={(value) => changeAnnotation(id, { kind: value })}
        />
        <FieldRow>
          {length('width')}
          {length('height')}
        </FieldRow>
        <Checkbox
          size="xs"
          label={t('inspector.locked')}
          checked={locked === true}
          onChange={(event) => changeAnnotation(id, { locked: event.currentTarget.checked })}
        />
      </FieldGroup>
      <div className={inspector.actions}>
        <Button
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={14} />}
          onClick={() => removeAndNotify({ t })}
        >
          {t('inspector.annotation.delete')}
        </Button>
      </div>
    </>
  );
}

/** Applies to all selected notes and shapes at once. */
export function AnnotationsFields({ ids }: { ids: readonly string[] }) {
  const { t } = useTranslation();
  const colours = useLabStore(({ lab }) =>
    (lab?.annotations ?? [])
      .filter(({ id }) => ids.includes(id))
      .map(({ colour }) => colour)
      .join(),
  );
  const [first, ...others] = AnnotationColour.array().parse(colours.split(','));
  return (
    <FieldGroup title={t('inspector.annotation.all')}>
      <Colours
        label={t('inspector.annotation.colour')}
        value={others.every((one) => one === first) ? first : undefined}
        onChange={(colour) =>
          editLab({
            type: 'several',
            edits: ids.map((annotationId) => ({ type: 'annotation', annotationId, change: { colour } })),
          })
        }
      />
    </FieldGroup>
  );
}

interface ColoursProps {
  readonly label: string;
  readonly value: Colour | undefined;
  readonly onChange: (colour: Colour) => void;
}
function Colours({ label, value, onChange }: ColoursProps) {
  const { t } = useTranslation();
  return (
    <div role="group" aria-label={label} className={classes.colours}>
      <span aria-hidden>{label}</span>
      {AnnotationColour.options.map((colour) => (
        <button
          key={colour}
          type="button"
          aria-pressed={colour === value}
          aria-label={t(`inspector.annotation.colours.${colour}`)}
          title={t(`inspector.annotation.colours.${colour}`)}
          style={{ background: annotationColour(colour) }}
          onClick={() => onChange(colour)}
        />
      ))}
    </div>
  );
}
