/** How the model learns: the numbers that every experiment has, and the trainer's own options, folded away until wanted. */
import { Collapse, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronRight } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { Experiment } from '../../shared/lab/lab.ts';
import {
  TrainingOptions,
  trainingOf,
  trainingOptionNames,
  usualTraining,
} from '../../shared/lab/training-options.ts';
import { ChoiceField, FieldGroup, FieldRow, NumberField, TextField } from '../ui/index.ts';
import classes from './TrainingFields.module.css';

const numbers = Experiment.shape;
/** 0: the newest and the best alone. */
const KeepEvery = z.number().int().min(0).max(100_000);
const options = TrainingOptions.shape;
type NumberName =
  'epochs' | 'batchSize' | 'learningRate' | 'momentum' | 'weightDecay' | 'seed' | 'stepSize' | 'gamma';

interface Props {
  readonly experiment: Experiment;
  readonly set: (change: Partial<Experiment>, field: string) => void;
  readonly issue: (path: string) => string | undefined;
}

export function TrainingFields(props: Props) {
  const { t } = useTranslation();
  const { experiment, set, issue } = props;
  const told = trainingOf(experiment);
  const number = (name: NumberName, unit?: string) => (
    <NumberField
      fieldKey={`experiment.${name}`}
      path={`experiment.${name}`}
      label={t(`inspector.setting.${name}`)}
      value={experiment[name]}
      schema={numbers[name]}
      issue={issue(`experiment.${name}`)}
      onChange={(value) => set({ [name]: value }, name)}
      {...(unit === undefined ? {} : { unit })}
    />
  );
  return (
    <FieldGroup title={t('inspector.experiment.training')}>
      <FieldRow>
        {number('epochs')}
        {number('batchSize')}
      </FieldRow>
      <FieldRow>
        <ChoiceField
          fieldKey="experiment.optimizer"
          label={t('inspector.setting.optimizer')}
          value={told.optimizer}
          choices={options.optimizer.unwrap().options.map((value) => ({
            value,
            label: t(`inspector.training.optimizer.${value}`),
          }))}
          onChange={(optimizer) => set({ optimizer }, 'optimizer')}
        />
        {number('learningRate')}
      </FieldRow>
      <FieldRow>
        {told.optimizer === 'sgd' && number('momentum')}
        {number('weightDecay')}
      </FieldRow>
      <ChoiceField
        fieldKey="experiment.scheduler"
        label={t('inspector.setting.scheduler')}
        value={told.scheduler}
        choices={options.scheduler.unwrap().options.map((value) => ({
          value,
          label: t(`inspector.training.scheduler.${value}`),
        }))}
        onChange={(scheduler) => set({ scheduler }, 'scheduler')}
      />
      {told.scheduler === 'step' && (
        <FieldRow>
          {number('stepSize', t('inspector.epochs'))}
          {number('gamma')}
        </FieldRow>
      )}
      <FieldRow>
        <NumberField
          fieldKey="experiment.warmupEpochs"
          label={t('inspector.setting.warmupEpochs')}
          value={told.warmupEpochs}
          schema={options.warmupEpochs.unwrap()}
          unit={t('inspector.epochs')}
          onChange={(warmupEpochs) => set({ warmupEpochs }, 'warmupEpochs')}
        />
        {number('seed')}
      </FieldRow>
      <NumberField
        fieldKey="experiment.keepEvery"
        path="experiment.keepEvery"
        label={t('inspector.keepEvery.label')}
        description={t('inspector.keepEvery.hint')}
        value={experiment.keepEvery ?? 0}
        schema={KeepEvery}
        unit={t('inspector.epochs')}
        issue={issue('experiment.keepEvery')}
        onChange={(every) => set({ keepEvery: every === 0 ? undefined : every }, 'keepEvery')}
      />
      <FurtherFields {...props} />
    </FieldGroup>
  );
}

/** Those that every experiment shows; the others are folded away. */
const inSight: readonly (keyof TrainingOptions)[] = ['optimizer', 'scheduler', 'warmupEpochs'];
const further = trainingOptionNames.filter((name) => !inSight.includes(name));

function FurtherFields({ experiment, set, issue }: Props) {
  const { t } = useTranslation();
  const region = useId();
  const told = trainingOf(experiment);
  const count = further.filter((name) => told[name] !== usualTraining[name]).length;
  const wrong = further.some((name) => issue(`experiment.${name}`) !== undefined);
  const [asked, { toggle }] = useDisclosure(count > 0);
  // What is wrong must be in sight, so that its message leads to a field.
  const open = asked || wrong;
  const onOff = (name: 'channelsLast' | 'draft' | 'syncBatchNorm' | 'freezeBatchNorm') => (
    <ChoiceField
      fieldKey={`experiment.${name}`}
      path={`experiment.${name}`}
      label={t(`inspector.setting.${name}`)}
      value={told[name] ? 'on' : 'off'}
      issue={issue(`experiment.${name}`)}
      choices={(['off', 'on'] as const).map((value) => ({
        value,
        label: t(`inspector.training.${name}.${value}`),
      }))}
      onChange={(value) => set({ [name]: value === 'on' }, name)}
    />
  );
  return (
    <>
      <UnstyledButton className={classes.fold} aria-expanded={open} aria-controls={region} onClick={toggle}>
        <IconChevronRight size={14} aria-hidden data-open={open} />
        {count === 0 ? t('inspector.training.more') : t('inspector.training.moreSet', { count })}
      </UnstyledButton>
      <Collapse expanded={open} id={region}>
        <div className={classes.folded}>
          <FieldRow>
            <NumberField
              fieldKey="experiment.labelSmoothing"
              label={t('inspector.setting.labelSmoothing')}
              value={told.labelSmoothing}
              schema={options.labelSmoothing.unwrap()}
              onChange={(labelSmoothing) => set({ labelSmoothing }, 'labelSmoothing')}
            />
            <ChoiceField
              fieldKey="experiment.inputChannels"
              label={t('inspector.setting.inputChannels')}
              value={told.inputChannels === 1 ? 'grey' : 'colour'}
              choices={(['colour', 'grey'] as const).map((value) => ({
                value,
                label: t(`inspector.training.inputChannels.${value}`),
              }))}
              onChange={(value) => set({ inputChannels: value === 'grey' ? 1 : 3 }, 'inputChannels')}
            />
          </FieldRow>
          <ChoiceField
            fieldKey="experiment.amp"
            path="experiment.amp"
            label={t('inspector.setting.amp')}
            value={told.amp}
            issue={issue('experiment.amp')}
            choices={options.amp
              .unwrap()
              .options.map((value) => ({ value, label: t(`inspector.training.amp.${value}`) }))}
            onChange={(amp) => set({ amp }, 'amp')}
          />
          <NumberField
            fieldKey="experiment.accumulate"
            path="experiment.accumulate"
            label={t('inspector.setting.accumulate')}
            description={t('inspector.training.accumulateHelp')}
            value={told.accumulate}
            issue={issue('experiment.accumulate')}
            schema={options.accumulate.unwrap()}
            onChange={(accumulate) => set({ accumulate }, 'accumulate')}
          />
          {onOff('channelsLast')}
          {onOff('draft')}
          {onOff('syncBatchNorm')}
          <TextField
            fieldKey="experiment.pretrained"
            path="experiment.pretrained"
            label={t('inspector.setting.pretrained')}
            description={t('inspector.training.pretrainedHelp')}
            placeholder={t('inspector.training.pretrainedNone')}
            value={told.pretrained}
            issue={issue('experiment.pretrained')}
            schema={options.pretrained.unwrap()}
            onChange={(pretrained) => set({ pretrained }, 'pretrained')}
          />
          <ChoiceField
            fieldKey="experiment.modulePrefix"
            label={t('inspector.setting.modulePrefix')}
            description={t('inspector.training.modulePrefixHelp')}
            value={told.modulePrefix}
            choices={options.modulePrefix
              .unwrap()
              .options.map((value) => ({ value, label: t(`inspector.training.modulePrefix.${value}`) }))}
            onChange={(modulePrefix) => set({ modulePrefix }, 'modulePrefix')}
          />
          <NumberField
            fieldKey="experiment.backboneLearningRate"
            path="experiment.backboneLearningRate"
            label={t('inspector.setting.backboneLearningRate')}
            description={t('inspector.training.backboneLearningRateHelp')}
            value={told.backboneLearningRate}
            issue={issue('experiment.backboneLearningRate')}
            schema={options.backboneLearningRate.unwrap()}
            onChange={(backboneLearningRate) => set({ backboneLearningRate }, 'backboneLearningRate')}
          />
          <TextField
            fieldKey="experiment.freeze"
            label={t('inspector.setting.freeze')}
            description={t('inspector.training.freezeHelp')}
            placeholder={t('inspector.training.freezeNone')}
            value={told.freeze}
            schema={options.freeze.unwrap()}
            onChange={(freeze) => set({ freeze }, 'freeze')}
          />
          {(told.freeze !== '' || told.freezeBatchNorm) && onOff('freezeBatchNorm')}
        </div>
      </Collapse>
    </>
  );
}
