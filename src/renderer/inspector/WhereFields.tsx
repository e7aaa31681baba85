/** Fields for where the experiment runs: on the drawn machines, or as a job of a cluster; of Slurm with its exact script. */
import { Code, SegmentedControl, Switch } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { hasErrors, checkLab } from '../../shared/lab/lab-check.ts';
import { previewScript } from '../../shared/lab/slurm-script.ts';
import { newKubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { newSlurmTarget, SlurmTarget, type ClusterTarget, type Where } from '../../shared/lab/where.ts';
import { asOneStep, useClusterFacts, useLabId, useLabStore } from '../state/index.ts';
import { FieldGroup, FieldRow, SwitchField, TextField, useRequestedFocus } from '../ui/index.ts';
import { SshFields } from './AccessFields.tsx';
import { ClusterFacts, suggestionsOf, useMisfits } from './ClusterFacts.tsx';
import { Fold } from './Fold.tsx';
import { keptValues } from './kept-values.ts';
import { KubernetesFields } from './KubernetesFields.tsx';
import classes from './Inspector.module.css';
import type { WhereProps } from './where-props.ts';

const shape = SlurmTarget.shape;
/** Empty: what the cluster has by default. */
const Name = shape.partition.unwrap();
const Minutes = z
  .string()
  .transform((text) => text.trim())
  .refine((text) => text === '' || shape.timeLimitMinutes.safeParse(Number(text)).success);
const orEmpty = (schema: z.ZodType<string>): z.ZodType<string> =>
  z.string().refine((text) => text.trim() === '' || schema.safeParse(text.trim()).success);
const Image = orEmpty(shape.image.unwrap());
const Folder = orEmpty(shape.folder.unwrap());
const listOf = (list: z.ZodType<string[]>, split: RegExp): z.ZodType<string> =>
  z.string().refine((text) => list.safeParse(words(text, split)).success);
const words = (text: string, split: RegExp): string[] =>
  text
    .split(split)
    .map((word) => word.trim())
    .filter((word) => word !== '');
const Modules = listOf(shape.modules.unwrap(), /\s+/);
const Options = listOf(shape.options.unwrap(), /\n/);

export function WhereFields({ where, set, issue }: WhereProps) {
  const { t } = useTranslation();
  const labId = useLabId();
  const focusable = useRequestedFocus({ fieldKey: 'experiment.where' });
  const cluster = where === undefined || where.type === 'machines' ? undefined : where;
  const type = cluster?.type ?? 'machines';
  const choose = (chosen: Where['type']): void => {
    if (chosen === type) return;
    if (cluster !== undefined) kept.keep(`${labId} ${cluster.type}`, cluster);
    asOneStep(() => set({ where: kept.of(`${labId} ${chosen}`) ?? newTarget(chosen) }, 'where.type'));
  };
  return (
    <FieldGroup title={t('inspector.where.title')}>
      <SegmentedControl
        {...focusable}
        fullWidth
        aria-label={t('inspector.where.title')}
        value={type}
        data={types.map((value) => ({ value, label: t(`inspector.where.${value}`) }))}
        onChange={choose}
      />
      {cluster?.type === 'slurm' && <SlurmFields slurm={cluster} set={set} issue={issue} />}
      {cluster?.type === 'kubernetes' && <KubernetesFields target={cluster} set={set} issue={issue} />}
    </FieldGroup>
  );
}

/** Clusters that are not chosen now, by lab and type. */
const kept = keptValues<ClusterTarget>();
const types = ['machines', 'slurm', 'kubernetes'] as const;

function newTarget(type: Where['type']): ClusterTarget | undefined {
  switch (type) {
    case 'machines':
      return undefined;
    case 'slurm':
      return newSlurmTarget();
    case 'kubernetes':
      return newKubernetesTarget();
  }
}

function SlurmFields({ slurm, set, issue }: Omit<WhereProps, 'where'> & { slurm: SlurmTarget }) {
  const { t } = useTranslation();
  const change = (changed: Partial<SlurmTarget>, field: string): void =>
    set({ where: { ...slurm, ...changed } }, `where.${field}`);
  const suggestions = suggestionsOf(slurm, useClusterFacts(slurm));
  const misfit = useMisfits(slurm);
  const name = (field: 'partition' | 'account' | 'qos' | 'gpuType', placeholder: string) => (
    <TextField
      fieldKey={`experiment.where.${field}`}
      path={`experiment.where.${field}`}
      label={t(`inspector.where.${field}`)}
      placeholder={placeholder}
      value={slurm[field] ?? ''}
      schema={Name}
      suggestions={suggestions[field]}
      issue={issue(`experiment.where.${field}`) ?? misfit(field)}
      onChange={(text) => change({ [field]: text.trim() === '' ? undefined : text.trim() }, field)}
    />
  );
  const wrongOption = (slurm.options ?? []).findIndex(
    (_, index) => issue(`experiment.where.options[${index}]`) !== undefined,
  );
  const byDefault = t('inspector.where.default');
  return (
    <>
      <p className={classes.hint}>{t('inspector.where.help')}</p>
      <SshFields
        fieldKey="experiment.where.login"
        path="experiment.where.login"
        access={slurm.login}
        set={(login, field) => change({ login }, `login.${field}`)}
      />
      <ClusterFacts slurm={slurm} />
      <TextField
        fieldKey="experiment.where.folder"
        path="experiment.where.folder"
        label={t(slurm.nodeLocal === true ? 'inspector.where.localFolder' : 'inspector.where.sharedFolder')}
        placeholder={slurm.nodeLocal === true ? `/tmp/${slurm.login.user}` : t('inspector.where.homeFolder')}
        value={slurm.folder ?? ''}
        schema={Folder}
        issue={issue('experiment.where.folder')}
        onChange={(text) => change({ folder: text.trim() === '' ? undefined : text.trim() }, 'folder')}
      />
      <Switch
        size="xs"
        label={t('inspector.where.nodeLocal')}
        checked={slurm.nodeLocal === true}
        onChange={({ currentTarget }) =>
          asOneStep(() => change({ nodeLocal: currentTarget.checked ? true : undefined }, 'nodeLocal'))
        }
      />
      <FieldRow>
        {name('partition', byDefault)}
        {name('account', byDefault)}
      </FieldRow>
      <FieldRow>
        {name('qos', byDefault)}
        {name('gpuType', t('inspector.where.anyGpu'))}
      </FieldRow>
      <TextField
        fieldKey="experiment.where.timeLimitMinutes"
        path="experiment.where.timeLimitMinutes"
        label={t('inspector.where.timeLimit')}
        placeholder={byDefault}
        value={slurm.timeLimitMinutes === undefined ? '' : String(slurm.timeLimitMinutes)}
        schema={Minutes}
        issue={misfit('timeLimitMinutes')}
        onChange={(text) =>
          change({ timeLimitMinutes: text === '' ? undefined : Number(text) }, 'timeLimitMinutes')
        }
      />
      <SwitchField
        fieldKey="experiment.where.requeue"
        path="experiment.where.requeue"
        label={t('inspector.where.requeue')}
        value={slurm.requeue === true}
        onChange={(requeue) => change({ requeue: requeue ? true : undefined }, 'requeue')}
      />
      <Fold label={t('inspector.where.more')} startsOpen={false} wrong={wrongOption >= 0}>
        <TextField
          fieldKey="experiment.where.modules"
          path="experiment.where.modules"
          label={t('inspector.where.modules')}
          placeholder="cuda/12.1 gcc/12"
          value={(slurm.modules ?? []).join(' ')}
          schema={Modules}
          onChange={(text) => {
            const modules = words(text, /\s+/);
            change({ modules: modules.length === 0 ? undefined : modules }, 'modules');
          }}
        />
        <TextField
          fieldKey="experiment.where.image"
          path="experiment.where.image"
          label={t('inspector.where.image')}
          placeholder="/shared/torch.sif"
          value={slurm.image ?? ''}
          schema={Image}
          onChange={(text) => change({ image: text.trim() === '' ? undefined : text.trim() }, 'image')}
        />
        <TextField
          fieldKey="experiment.where.options"
          path="experiment.where.options"
          label={t('inspector.where.options')}
          placeholder="--constraint=a100"
          value={(slurm.options ?? []).join('\n')}
          schema={Options}
          long
          issue={wrongOption < 0 ? undefined : issue(`experiment.where.options[${wrongOption}]`)}
          onChange={(text) => {
            const options = words(text, /\n/);
            change({ options: options.length === 0 ? undefined : options }, 'options');
          }}
        />
      </Fold>
      <Fold label={t('inspector.where.script')} startsOpen={false} wrong={false}>
        <Preview slurm={slurm} />
      </Fold>
    </>
  );
}

/** The script exactly as it will be submitted, but for the run's name. */
function Preview({ slurm }: { slurm: SlurmTarget }) {
  const { t } = useTranslation();
  const lab = useLabStore((state) => state.lab);
  const script = useMemo(
    () => (lab === undefined || hasErrors(checkLab(lab)) ? undefined : previewScript(lab, slurm)),
    [lab, slurm],
  );
  return script === undefined ? (
    <p className={classes.hint}>{t('inspector.where.noScript')}</p>
  ) : (
    <Code block>{script}</Code>
  );
}
