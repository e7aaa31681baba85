/** Fields for a node's placement: region, pool, machine type and image. */
import { useTranslation } from 'react-i18next';
import { Placement, type LabNode } from '../../shared/lab/lab.ts';
import { editLab } from '../state/index.ts';
import classes from './Inspector.module.css';
import { FieldGroup, FieldRow, NumberField, TextField, useHardware } from '../ui/index.ts';

const shape = Placement.shape;
const flavourShape = shape.flavour.shape;

export function PlacementFields({ node }: { node: LabNode }) {
  const { t } = useTranslation();
  const { placement } = node;
  const { flavour } = placement;
  const hardware = useHardware(node);
  const set = (change: Partial<Placement>, field: string): void =>
    editLab(
      { type: 'node', nodeId: node.id, change: { placement: { ...placement, ...change } } },
      `node.${node.id}.placement.${field}`,
    );
  const text = (name: 'region' | 'pool' | 'image') => (
    <TextField
      fieldKey={`node.${node.id}.placement.${name}`}
      label={t(`inspector.placement.${name}`)}
      value={placement[name]}
      schema={shape[name]}
      onChange={(value) => set({ [name]: value }, name)}
    />
  );
  const amount = (name: 'cpus' | 'memoryGb' | 'diskGb', unit?: string) => (
    <NumberField
      fieldKey={`node.${node.id}.placement.${name}`}
      label={t(`inspector.placement.${name}`)}
      value={placement[name]}
      schema={shape[name]}
      onChange={(value) => set({ [name]: value }, name)}
      {...(unit === undefined ? {} : { unit })}
    />
  );
  return (
    <FieldGroup title={t('inspector.placement.title')}>
      {hardware !== undefined && (
        <p className={classes.hint}>
          {hardware.found === undefined ? hardware.source : `${hardware.source} ${hardware.text}`}
        </p>
      )}
      <FieldRow>
        {text('region')}
        {text('pool')}
      </FieldRow>
      <FieldRow>
        {text('image')}
        <TextField
          fieldKey={`node.${node.id}.placement.flavour`}
          label={t('inspector.placement.flavour')}
          value={flavour.name}
          schema={flavourShape.name}
          onChange={(name) => set({ flavour: { ...flavour, name } }, 'flavour.name')}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          fieldKey={`node.${node.id}.placement.gpuModel`}
          label={t('inspector.placement.gpuModel')}
          placeholder={t('inspector.placement.noGpu')}
          value={flavour.gpuModel}
          schema={flavourShape.gpuModel}
          onChange={(gpuModel) => set({ flavour: { ...flavour, gpuModel } }, 'gpuModel')}
        />
        <NumberField
          fieldKey={`node.${node.id}.placement.gpuCount`}
          label={t('inspector.placement.gpuCount')}
          value={flavour.gpuCount}
          schema={flavourShape.gpuCount}
          onChange={(gpuCount) => set({ flavour: { ...flavour, gpuCount } }, 'gpuCount')}
        />
      </FieldRow>
      <FieldRow>
        {amount('cpus')}
        {amount('memoryGb', 'GB')}
        {amount('diskGb', 'GB')}
      </FieldRow>
    </FieldGroup>
  );
}
