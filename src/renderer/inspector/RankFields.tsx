/** Fields of ranks that both trainers have: how many on a node, the port of rank 0, and what they may do with the links. */
import { useTranslation } from 'react-i18next';
import { defaultRestartsPerHour, Experiment, OnLostRank } from '../../shared/lab/lab.ts';
import { goesOnByDefault } from '../../shared/lab/lost-rank.ts';
import { parseSyncMode } from '../../shared/settings/sync-mode.ts';
import { ChoiceField, FieldRow, NumberField } from '../ui/index.ts';
import type { SettingFieldProps } from './SettingField.tsx';

const shape = Experiment.shape;
const Processes = shape.processesPerNode.options[1];

type RankFieldsProps = Pick<SettingFieldProps, 'experiment' | 'set'>;

export function ProcessesFields({ experiment, set }: RankFieldsProps) {
  const { t } = useTranslation();
  const processes = experiment.processesPerNode;
  return (
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
  );
}

export function LinkUseFields({ experiment, set }: RankFieldsProps) {
  const { t } = useTranslation();
  const { encrypt, data, script } = experiment;
  const sendsImages = encrypt === true && script === undefined && data.type === 'upload';
  return (
    <>
      <ChoiceField
        fieldKey="experiment.encrypt"
        label={t('inspector.encrypt.label')}
        {...(sendsImages && { description: t('inspector.encrypt.images') })}
        value={encrypt === true ? 'on' : 'off'}
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
    </>
  );
}

/** What happens when a rank is lost, and what that costs. */
export function LostRankFields({ experiment, set }: RankFieldsProps) {
  const { t } = useTranslation();
  const { onLostRank, script } = experiment;
  const goesOn = onLostRank === undefined ? goesOnByDefault(experiment) : onLostRank === 'continue';
  const costs = (): 'auto' | 'autoStops' | 'script' | 'scriptStops' | OnLostRank => {
    if (script !== undefined) return onLostRank === 'restart' ? 'script' : 'scriptStops';
    return onLostRank ?? (goesOn ? 'auto' : 'autoStops');
  };
  const trainsOn = goesOn && script === undefined;
  const sharesGradients = parseSyncMode(experiment.sync)?.outer !== true;
  return (
    <>
      <ChoiceField
        fieldKey="experiment.onLostRank"
        label={t('inspector.lostRank.label')}
        description={t(`inspector.lostRank.costs.${costs()}`)}
        value={onLostRank ?? 'auto'}
        choices={(['auto', ...OnLostRank.options] as const).map((value) => ({
          value,
          label: t(`inspector.lostRank.${value}`),
        }))}
        onChange={(choice) => set({ onLostRank: choice === 'auto' ? undefined : choice }, 'onLostRank')}
      />
      {trainsOn && sharesGradients && (
        <ChoiceField
          fieldKey="experiment.keepGlobalBatch"
          label={t('inspector.lostRank.batch.label')}
          description={t(
            `inspector.lostRank.batch.${experiment.keepGlobalBatch === true ? 'keptHint' : 'smallerHint'}`,
          )}
          value={experiment.keepGlobalBatch === true ? 'kept' : 'smaller'}
          choices={(['smaller', 'kept'] as const).map((value) => ({
            value,
            label: t(`inspector.lostRank.batch.${value}`),
          }))}
          onChange={(choice) => set({ keepGlobalBatch: choice === 'kept' }, 'keepGlobalBatch')}
        />
      )}
      {(onLostRank === 'restart' || trainsOn) && (
        <NumberField
          fieldKey="experiment.restartsPerHour"
          label={t('inspector.lostRank.perHour')}
          value={experiment.restartsPerHour ?? defaultRestartsPerHour}
          schema={shape.restartsPerHour.unwrap()}
          onChange={(restartsPerHour) => set({ restartsPerHour }, 'restartsPerHour')}
        />
      )}
    </>
  );
}

export function PortField({ experiment, set, issue }: SettingFieldProps) {
  const { t } = useTranslation();
  return (
    <NumberField
      fieldKey="experiment.port"
      path="experiment.port"
      label={t('inspector.experiment.port')}
      value={experiment.port}
      schema={shape.port}
      issue={issue('experiment.port')}
      onChange={(port) => set({ port }, 'port')}
    />
  );
}
