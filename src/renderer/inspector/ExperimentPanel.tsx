/** The experiment's fields: what is trained, on what, and how the ranks meet. */
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { architectures } from '../../shared/lab/architectures.ts';
import { Experiment } from '../../shared/lab/lab.ts';
import {
  formatSyncMode,
  parseSyncMode,
  syncForms,
  syncKinds,
  syncValues,
  type SyncKind,
  type SyncMode,
} from '../../shared/settings/sync-mode.ts';
import { editLab, useLabStore } from '../state/index.ts';
import { DataFields } from './DataFields.tsx';
import { ChoiceField, FieldGroup, FieldRow, NumberField } from '../ui/index.ts';
import { useFieldIssue } from '../ui/index.ts';
import { RuntimeFields } from './RuntimeFields.tsx';
import { SettingField } from './SettingField.tsx';
import { TrainingFields } from './TrainingFields.tsx';

const shape = Experiment.shape;
const architectureChoices = architectures.map(({ name, family }) => ({
  value: name,
  label: name,
  group: family,
}));
const Processes = shape.processesPerNode.options[1];

export function ExperimentPanel() {
  const { t } = useTranslation();
  const experiment = useLabStore((state) => state.lab?.experiment);
  const issue = useFieldIssue();
  if (experiment === undefined) return null;
  const set = (change: Partial<Experiment>, field: string): void =>
    editLab({ type: 'experiment', change }, `experiment.${field}`);
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
          fieldKey="experiment.encrypt"
          label={t('inspector.encrypt.label')}
          value={experiment.encrypt === true ? 'on' : 'off'}
          choices={(['off', 'on'] as const).map((value) => ({
            value,
            label: t(`inspector.encrypt.${value}`),
          }))}
          onChange={(choice) => set({ encrypt: choice === 'on' }, 'encrypt')}
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
          <SettingField name="workers" experiment={experiment} set={set} issue={issue} />
          <NumberField
            fieldKey="experiment.port"
            path="experiment.port"
            label={t('inspector.experiment.port')}
            value={experiment.port}
            schema={shape.port}
            issue={issue('experiment.port')}
            onChange={(port) => set({ port }, 'port')}
          />
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
