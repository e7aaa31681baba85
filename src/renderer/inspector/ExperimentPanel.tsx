/** The experiment's fields: what is trained, on what, and how the ranks meet. */
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { architectures } from '../../shared/architectures.ts';
import { DataSource, Experiment, ImageSize, imageSizeOf } from '../../shared/lab.ts';
import {
  formatSyncMode,
  parseSyncMode,
  syncForms,
  syncKinds,
  syncValues,
  type SyncKind,
  type SyncMode,
} from '../../shared/sync-mode.ts';
import { editLab, useLabStore } from '../state/index.ts';
import { ChoiceField, FieldGroup, FieldRow, NumberField, TextField } from './fields.tsx';
import { useFieldIssue } from './issue-words.ts';
import { RuntimeFields } from './RuntimeFields.tsx';
import { TrainingFields } from './TrainingFields.tsx';

const shape = Experiment.shape;
const shapesSource = { type: 'shapes', train: 1800, validation: 360, size: 32, seed: 1 } as const;
const architectureChoices = architectures.map(({ name, family }) => ({
  value: name,
  label: name,
  group: family,
}));
const Shapes = DataSource.options[0].shape;
const FolderPath = DataSource.options[1].shape.path;
const Url = DataSource.options[3].shape;
/** Addresses with spaces between them. */
const addressesIn = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');
const Addresses = z
  .string()
  .transform((text) => addressesIn(text).join(' '))
  .refine((text) => Url.urls.safeParse(addressesIn(text)).success);
const Processes = shape.processesPerNode.options[1];

export function ExperimentPanel() {
  const { t } = useTranslation();
  const experiment = useLabStore((state) => state.lab?.experiment);
  const issue = useFieldIssue();
  if (experiment === undefined) return null;
  const set = (change: Partial<Experiment>, field: string): void =>
    editLab({ type: 'experiment', change }, `experiment.${field}`);
  const number = (name: 'workers' | 'port', label: string) => (
    <NumberField
      fieldKey={`experiment.${name}`}
      path={`experiment.${name}`}
      label={label}
      value={experiment[name]}
      schema={shape[name]}
      issue={issue(`experiment.${name}`)}
      onChange={(value) => set({ [name]: value }, name)}
    />
  );
  const processes = experiment.processesPerNode;
  return (
    <>
      <FieldGroup title={t('inspector.experiment.model')}>
        <ChoiceField
          fieldKey="experiment.architecture"
          path="experiment.architecture"
          label={t('inspector.setting.architecture')}
          value={experiment.architecture}
          issue={issue('experiment.architecture')}
          choices={architectureChoices}
          searchable
          onChange={(architecture) => set({ architecture }, 'architecture')}
        />
        <DataFields data={experiment.data} set={set} issue={issue} />
        <RuntimeFields runtime={experiment.runtime} set={set} />
      </FieldGroup>
      <TrainingFields experiment={experiment} set={set} issue={issue} />
      <FieldGroup title={t('inspector.experiment.distribution')}>
        <FieldRow>
          <ChoiceField
            fieldKey="experiment.backend"
            label={t('inspector.setting.backend')}
            value={experiment.backend}
            choices={shape.backend.options.map((value) => ({
              value,
              label: value === 'auto' ? t('inspector.automatic') : value,
            }))}
            onChange={(backend) => set({ backend }, 'backend')}
          />
        </FieldRow>
        <SyncFields sync={experiment.sync} set={set} issue={issue('experiment.sync')} />
        <FieldRow>
          <ChoiceField
            fieldKey="experiment.processes"
            label={t('inspector.setting.processesPerNode')}
            value={processes === 'auto' ? 'auto' : 'fixed'}
            choices={[
              { value: 'auto', label: t('inspector.onePerGpu') },
              { value: 'fixed', label: t('inspector.fixedNumber') },
            ]}
            onChange={(choice) => set({ processesPerNode: choice === 'auto' ? 'auto' : 1 }, 'processes')}
          />
          {processes !== 'auto' && (
            <NumberField
              fieldKey="experiment.processesPerNode"
              label={t('inspector.experiment.processCount')}
              value={processes}
              schema={Processes}
              onChange={(processesPerNode) => set({ processesPerNode }, 'processesPerNode')}
            />
          )}
        </FieldRow>
        <ChoiceField
          fieldKey="experiment.onLinkDown"
          label={t('inspector.linkDown.label')}
          value={experiment.onLinkDown ?? 'stop'}
          choices={(['stop', 'wait'] as const).map((value) => ({
            value,
            label: t(`inspector.linkDown.${value}`),
          }))}
          onChange={(onLinkDown) => set({ onLinkDown }, 'onLinkDown')}
        />
        <ChoiceField
          fieldKey="experiment.limitLinks"
          label={t('inspector.limitLinks.label')}
          value={experiment.limitLinks === true ? 'apply' : 'show'}
          choices={(['show', 'apply'] as const).map((value) => ({
            value,
            label: t(`inspector.limitLinks.${value}`),
          }))}
          onChange={(choice) => set({ limitLinks: choice === 'apply' }, 'limitLinks')}
        />
        <FieldRow>
          {number('workers', t('inspector.setting.workers'))}
          {number('port', t('inspector.experiment.port'))}
        </FieldRow>
      </FieldGroup>
    </>
  );
}

/** The way of synchronising, and the number that it has. */
function SyncFields(props: {
  sync: string;
  set: (change: Partial<Experiment>, field: string) => void;
  issue: string | undefined;
}) {
  const { t } = useTranslation();
  const { sync, set, issue } = props;
  // A mode that nobody knows stays in the document, and the check says so at this field.
  const mode: SyncMode = parseSyncMode(sync) ?? { kind: 'allreduce', parts: [] };
  const limits = syncValues[mode.kind];
  const Value = z
    .number()
    .min(limits?.low ?? 0)
    .max(limits?.high ?? 0);
  return (
    <>
      <ChoiceField
        fieldKey="experiment.sync"
        path="experiment.sync"
        label={t('inspector.setting.sync')}
        description={t(`inspector.syncHelp.${mode.kind}`)}
        value={mode.kind}
        issue={issue}
        choices={syncKinds.map((value) => ({ value, label: t(`inspector.sync.${value}`) }))}
        onChange={(kind) => {
          const usual = syncValues[kind]?.usual;
          set(
            { sync: formatSyncMode({ kind, parts: [], ...(usual === undefined ? {} : { value: usual }) }) },
            'sync',
          );
        }}
      />
      {limits !== undefined && mode.value !== undefined && (
        <NumberField
          fieldKey="experiment.sync.value"
          label={t(`inspector.syncValue.${valuedKind(mode.kind)}`)}
          value={mode.value}
          schema={limits.whole ? Value.int() : Value}
          onChange={(value) => set({ sync: formatSyncMode({ ...mode, value }) }, 'sync')}
        />
      )}
      {(mode.kind === 'local' || mode.kind === 'diloco') && (
        <ChoiceField<string>
          fieldKey="experiment.sync.form"
          label={t('inspector.syncForm.label')}
          value={formOf(mode)}
          choices={syncForms.map((value) => ({ value, label: t(`inspector.syncForm.${formWords[value]}`) }))}
          onChange={(form) => {
            const parts = [form, ...mode.parts.filter((part) => part !== formOf(mode))];
            set({ sync: formatSyncMode({ ...mode, parts }) }, 'sync');
          }}
        />
      )}
    </>
  );
}

const formWords = {
  fp32: 'fp32',
  fp16: 'fp16',
  '8bit': 'eightBits',
  '4bit': 'fourBits',
  'sparse=0.45': 'sparse',
} as const satisfies Record<(typeof syncForms)[number], string>;

/** What the mode says, also a form that is not offered here; where it says nothing, what the trainer takes. */
const formOf = ({ kind, parts }: SyncMode): string =>
  parts.find((part) => /^(?:fp32|fp16|bf16|8bit|4bit|\d+|topk=.+|sparse=.+)$/.test(part)) ??
  (kind === 'diloco' ? '4bit' : 'fp32');

const valuedKind = (kind: SyncKind): 'powersgd' | 'topk' | 'local' | 'diloco' =>
  kind === 'powersgd' || kind === 'topk' || kind === 'local' ? kind : 'diloco';

function DataFields(props: {
  data: DataSource;
  set: (change: Partial<Experiment>, field: string) => void;
  issue: (path: string) => string | undefined;
}) {
  const { t } = useTranslation();
  const { data, set, issue } = props;
  const choose = (type: DataSource['type']): void => {
    const path = 'path' in data ? data.path : '';
    const size = data.type === 'shapes' || data.size === undefined ? {} : { size: data.size };
    const chosen: DataSource =
      type === 'shapes'
        ? shapesSource
        : type === 'url'
          ? { type, urls: [], sha256: '', ...size }
          : { type, path, ...size };
    set({ data: chosen }, 'data.type');
  };
  const sizeField = (
    <NumberField
      fieldKey="experiment.data.size"
      path="experiment.data.size"
      label={t('inspector.data.size')}
      unit="px"
      value={imageSizeOf(data)}
      schema={data.type === 'shapes' ? Shapes.size : ImageSize}
      issue={issue('experiment.data.size')}
      onChange={(size) => set({ data: { ...data, size } }, 'data.size')}
    />
  );
  return (
    <>
      <ChoiceField
        fieldKey="experiment.data.type"
        label={t('inspector.data.source')}
        description={t(`inspector.data.help.${data.type}`)}
        value={data.type}
        choices={[
          { value: 'shapes', label: t('inspector.data.shapes') },
          { value: 'folder', label: t('inspector.data.folder') },
          { value: 'upload', label: t('inspector.data.upload') },
          { value: 'url', label: t('inspector.data.url') },
        ]}
        onChange={choose}
      />
      {data.type === 'shapes' ? (
        <>
          <FieldRow>
            {(['train', 'validation'] as const).map((name) => (
              <NumberField
                key={name}
                fieldKey={`experiment.data.${name}`}
                path={`experiment.data.${name}`}
                issue={issue(`experiment.data.${name}`)}
                label={t(`inspector.data.${name}`)}
                value={data[name]}
                schema={Shapes[name]}
                onChange={(value) => set({ data: { ...data, [name]: value } }, `data.${name}`)}
              />
            ))}
          </FieldRow>
          <FieldRow>
            {sizeField}
            <NumberField
              fieldKey="experiment.data.seed"
              label={t('inspector.data.seed')}
              value={data.seed}
              schema={Shapes.seed}
              onChange={(seed) => set({ data: { ...data, seed } }, 'data.seed')}
            />
          </FieldRow>
        </>
      ) : data.type === 'url' ? (
        <>
          <TextField
            fieldKey="experiment.data.urls"
            path="experiment.data.urls"
            label={t('inspector.data.urls')}
            placeholder="https://…/images.tar.gz"
            value={data.urls.join(' ')}
            schema={Addresses}
            issue={issue('experiment.data.urls')}
            onChange={(text) => set({ data: { ...data, urls: addressesIn(text) } }, 'data.urls')}
          />
          <TextField
            fieldKey="experiment.data.sha256"
            path="experiment.data.sha256"
            label={t('inspector.data.sha256')}
            value={data.sha256}
            schema={Url.sha256}
            issue={issue('experiment.data.sha256')}
            onChange={(text) => set({ data: { ...data, sha256: text.trim().toLowerCase() } }, 'data.sha256')}
          />
          {sizeField}
        </>
      ) : (
        <>
          <TextField
            fieldKey="experiment.data.path"
            path="experiment.data.path"
            label={t('inspector.data.path')}
            placeholder="/data/imagenet"
            value={data.path}
            schema={FolderPath}
            issue={issue('experiment.data.path')}
            onChange={(path) => set({ data: { ...data, path } }, 'data.path')}
          />
          {sizeField}
        </>
      )}
    </>
  );
}
