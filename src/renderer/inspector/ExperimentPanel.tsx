/** The experiment's fields: model, data and training settings, and how the ranks communicate. */
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { architectures } from '../../shared/lab/architectures.ts';
import { Experiment } from '../../shared/lab/lab.ts';
import {
  formatSyncMode,
  parseSyncMode,
  syncForms,
  syncKinds,
  syncRow,
  type ReadMode,
} from '../../shared/settings/index.ts';
import { editLab, useLabStore, useLanguage } from '../state/index.ts';
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
          label={t('settingNames.architecture')}
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
            label={t('settingNames.backend')}
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
            label={t('settingNames.processesPerNode')}
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

/** The synchronisation mode, its number, and the compression of what local steps changed. */
function SyncFields(props: {
  sync: string;
  set: (change: Partial<Experiment>, field: string) => void;
  issue: string | undefined;
}) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { sync, set, issue } = props;
  // An unknown mode stays in the document, and the lab's check reports it at this field.
  const mode = parseSyncMode(sync) ?? parseSyncMode(plainSync);
  if (mode === undefined) return null;
  const { value: limits, words } = syncRow(mode.kind);
  const form = formOf(mode);
  const withForm = (chosen: string): string =>
    formatSyncMode({ ...mode, parts: [chosen, ...mode.parts.filter((part) => part !== form)] });
  const numbers = z
    .number()
    .min(limits?.low ?? 0)
    .max(limits?.high ?? 0);
  return (
    <>
      <ChoiceField
        fieldKey="experiment.sync"
        path="experiment.sync"
        label={t('settingNames.sync')}
        description={words[language].help}
        value={mode.kind}
        issue={issue}
        choices={syncKinds.map((value) => ({ value, label: syncRow(value).words[language].label }))}
        onChange={(kind) => {
          const value = syncRow(kind).value?.default;
          set(
            { sync: formatSyncMode({ kind, parts: [], ...(value === undefined ? {} : { value }) }) },
            'sync',
          );
        }}
      />
      {limits !== undefined && mode.value !== undefined && (
        <NumberField
          fieldKey="experiment.sync.value"
          label={words[language].value ?? ''}
          value={mode.value}
          schema={limits.whole ? numbers.int() : numbers}
          onChange={(value) => set({ sync: formatSyncMode({ ...mode, value }) }, 'sync')}
        />
      )}
      {mode.outer && (
        <ChoiceField<string>
          fieldKey="experiment.sync.form"
          label={t('inspector.syncForm.label')}
          value={form}
          choices={syncForms
            .filter((value) => parseSyncMode(withForm(value)) !== undefined)
            .map((value) => ({ value, label: t(`inspector.syncForm.${formWords[value]}`) }))}
          onChange={(chosen) => {
            set({ sync: withForm(chosen) }, 'sync');
          }}
        />
      )}
    </>
  );
}

const plainSync = 'allreduce';

const formWords = {
  fp32: 'fp32',
  fp16: 'fp16',
  '8bit': 'eightBits',
  '4bit': 'fourBits',
  'stream=0.145': 'stream',
  'sparse=0.45': 'sparse',
} as const satisfies Record<(typeof syncForms)[number], string>;

/** The compression in the mode, even if it is not offered here; if the mode has none, its kind's default. */
const formOf = ({ form, compression }: ReadMode): string =>
  form ?? (compression === 'int4' ? '4bit' : 'fp32');
