/** The experiment's fields: which program trains; for the native trainer model, data, settings, and how ranks communicate. */
import { SegmentedControl } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { architectures } from '../../shared/lab/architectures.ts';
import { Experiment, runtimeOf } from '../../shared/lab/lab.ts';
import { chooseTrainer, editLab, useLabStore, useLanguage, type TrainerChoice } from '../state/index.ts';
import { ChoiceField, FieldGroup, FieldRow, formatBytes, formatNumber, useFieldIssue } from '../ui/index.ts';
import { DataFields } from './DataFields.tsx';
import { LinkUseFields, LostRankFields, PortField, ProcessesFields } from './RankFields.tsx';
import { RuntimeFields } from './RuntimeFields.tsx';
import { ScriptFields } from './script/ScriptFields.tsx';
import { SettingField, type SettingFieldProps } from './SettingField.tsx';
import { SyncFields } from './SyncFields.tsx';
import { TrainingFields } from './TrainingFields.tsx';
import { useLeftDrafts } from './use-left-drafts.ts';
import { WhereFields } from './WhereFields.tsx';

const shape = Experiment.shape;
/** A parameter in single precision. */
const bytesPerParameter = 4;

export function ExperimentPanel() {
  const { t } = useTranslation();
  const experiment = useLabStore((state) => state.lab?.experiment);
  const issue = useFieldIssue();
  useLeftDrafts('experiment', experiment);
  if (experiment === undefined) return null;
  const set = (change: Partial<Experiment>, field: string): void =>
    editLab({ type: 'experiment', change }, `experiment.${field}`);
  const { script } = experiment;
  return (
    <>
      <FieldGroup title={t('script.trainer')}>
        <SegmentedControl<TrainerChoice>
          fullWidth
          aria-label={t('script.trainer')}
          value={script === undefined ? 'native' : 'script'}
          data={[
            { value: 'native', label: t('script.native') },
            { value: 'script', label: t('script.own') },
          ]}
          onChange={chooseTrainer}
        />
      </FieldGroup>
      <WhereFields where={experiment.where} set={set} issue={issue} />
      {script === undefined ? (
        <NativeFields experiment={experiment} set={set} issue={issue} />
      ) : (
        <ScriptFields experiment={experiment} script={script} set={set} issue={issue} />
      )}
    </>
  );
}

/** The architectures in families, each with its parameters and their memory. */
function useArchitectureChoices() {
  const { t } = useTranslation();
  const language = useLanguage();
  return useMemo(
    () =>
      architectures.map(({ name, family, parameters }) => ({
        value: name,
        label: name,
        group: family,
        detail: t('inspector.experiment.parameters', {
          millions: formatNumber(Number((parameters / 1e6).toPrecision(3)), language),
          memory: formatBytes(parameters * bytesPerParameter, language),
        }),
      })),
    [t, language],
  );
}

function NativeFields({ experiment, set, issue }: SettingFieldProps) {
  const { t } = useTranslation();
  const choices = useArchitectureChoices();
  return (
    <>
      <FieldGroup title={t('inspector.experiment.model')}>
        <ChoiceField
          fieldKey="experiment.architecture"
          path="experiment.architecture"
          label={t('settingNames.architecture')}
          value={experiment.architecture}
          issue={issue('experiment.architecture')}
          description={choices.find(({ value }) => value === experiment.architecture)?.detail}
          choices={choices}
          searchable
          onChange={(architecture) => set({ architecture }, 'architecture')}
        />
        <DataFields data={experiment.data} set={set} issue={issue} />
        <RuntimeFields runtime={runtimeOf({ experiment })} set={set} issue={issue} choices={nativeRuntimes} />
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
        <ProcessesFields experiment={experiment} set={set} />
        <ChoiceField
          fieldKey="experiment.onLinkDown"
          label={t('inspector.linkDown.label')}
          description={experiment.onLinkDown === 'reroute' ? t('inspector.linkDown.rerouteHint') : undefined}
          value={experiment.onLinkDown ?? 'stop'}
          choices={(['stop', 'wait', 'reroute'] as const).map((value) => ({
            value,
            // What the ranks do then that a link separates is decided below.
            label: t(
              `inspector.linkDown.${value === 'stop' && (experiment.onLostRank ?? 'auto') !== 'stop' ? 'asLost' : value}`,
            ),
          }))}
          onChange={(onLinkDown) => set({ onLinkDown }, 'onLinkDown')}
        />
        <LostRankFields experiment={experiment} set={set} />
        <LinkUseFields experiment={experiment} set={set} />
        <FieldRow>
          <SettingField name="workers" experiment={experiment} set={set} issue={issue} />
          <PortField experiment={experiment} set={set} issue={issue} />
        </FieldRow>
      </FieldGroup>
    </>
  );
}

const nativeRuntimes = ['system', 'existing', 'conda', 'wheels'] as const;
