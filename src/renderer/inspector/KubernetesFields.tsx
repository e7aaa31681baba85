/** Fields of a Kubernetes cluster that the experiment runs on, with the exact objects that are created there. */
import { Code } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { isOneSet } from '../../shared/lab/kubernetes-job.ts';
import { previewObjects } from '../../shared/lab/kubernetes-machines.ts';
import { kubectlYaml, KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { checkLab, hasErrors } from '../../shared/lab/lab-check.ts';
import { useLabStore } from '../state/index.ts';
import { loadPart } from '../api/index.ts';
import { FieldRow, TextField } from '../ui/index.ts';
import { Fold } from './Fold.tsx';
import classes from './Inspector.module.css';
import type { WhereProps } from './where-props.ts';

const shape = KubernetesTarget.shape;
const textFields = ['kubeconfig', 'context', 'namespace', 'claim', 'queue', 'priorityClass'] as const;
type TextFieldName = (typeof textFields)[number];

/** `key=value` lines, as kubectl writes labels. */
const selectorOf = (text: string): Record<string, string> | undefined => {
  const lines = linesOf(text);
  return lines.length === 0 ? undefined : Object.fromEntries(lines.map((line) => keyAndValue(line)));
};
/** `key[=value][:effect]` lines, as kubectl writes taints. */
const tolerationsOf = (text: string): unknown[] | undefined => {
  const lines = linesOf(text).map((line) => {
    const [, whole = '', effect] = /^(.*?)(?::([A-Za-z]*))?$/.exec(line) ?? [];
    const [key, value] = keyAndValue(whole);
    return { key, ...(whole.includes('=') ? { value } : {}), ...(effect === undefined ? {} : { effect }) };
  });
  return lines.length === 0 ? undefined : lines;
};
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
const keyAndValue = (line: string): [string, string] => {
  const at = line.indexOf('=');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
};
const wordsOf = (text: string): string[] | undefined => {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.length === 0 ? undefined : words;
};
const accepted = (schema: z.ZodType, read: (text: string) => unknown) =>
  z.string().refine((text) => schema.safeParse(read(text)).success);
const Optional = (schema: z.ZodType) =>
  accepted(schema, (text) => (text.trim() === '' ? undefined : text.trim()));

export function KubernetesFields({
  target,
  set,
  issue,
}: Omit<WhereProps, 'where'> & { target: KubernetesTarget }) {
  const { t } = useTranslation();
  const change = (changed: Partial<KubernetesTarget>, field: string): void =>
    set({ where: { ...target, ...changed } }, `where.${field}`);
  const name = (field: TextFieldName, placeholder: string) => (
    <TextField
      fieldKey={`experiment.where.${field}`}
      path={`experiment.where.${field}`}
      label={t(`inspector.kubernetes.${field}`)}
      placeholder={placeholder}
      value={target[field] ?? ''}
      schema={Optional(shape[field])}
      issue={issue(`experiment.where.${field}`)}
      onChange={(text) => change({ [field]: text.trim() === '' ? undefined : text.trim() }, field)}
    />
  );
  const byDefault = t('inspector.where.default');
  return (
    <>
      <p className={classes.hint}>{t('inspector.kubernetes.help')}</p>
      {name('kubeconfig', '~/.kube/config')}
      <FieldRow>
        {name('context', byDefault)}
        {name('namespace', byDefault)}
      </FieldRow>
      <TextField
        fieldKey="experiment.where.image"
        path="experiment.where.image"
        label={t('inspector.kubernetes.image')}
        placeholder="registry.example/team/train:1"
        value={target.image}
        schema={accepted(shape.image, (text) => text.trim())}
        issue={issue('experiment.where.image')}
        onChange={(text) => change({ image: text.trim() }, 'image')}
      />
      {name('claim', t('inspector.kubernetes.none'))}
      <Fold label={t('inspector.kubernetes.more')} startsOpen={false} wrong={false}>
        <FieldRow>
          {name('queue', t('inspector.kubernetes.none'))}
          {name('priorityClass', byDefault)}
        </FieldRow>
        <TextField
          fieldKey="experiment.where.pullSecrets"
          path="experiment.where.pullSecrets"
          label={t('inspector.kubernetes.pullSecrets')}
          placeholder={t('inspector.kubernetes.none')}
          value={(target.pullSecrets ?? []).join(' ')}
          schema={accepted(shape.pullSecrets, wordsOf)}
          onChange={(text) => change({ pullSecrets: wordsOf(text) }, 'pullSecrets')}
        />
        <TextField
          fieldKey="experiment.where.nodeSelector"
          path="experiment.where.nodeSelector"
          label={t('inspector.kubernetes.nodeSelector')}
          placeholder="nvidia.com/gpu.product=NVIDIA-A100-SXM4-80GB"
          value={Object.entries(target.nodeSelector ?? {})
            .map(([key, value]) => `${key}=${value}`)
            .join('\n')}
          schema={accepted(shape.nodeSelector, selectorOf)}
          long
          onChange={(text) => change({ nodeSelector: selectorOf(text) }, 'nodeSelector')}
        />
        <TextField
          fieldKey="experiment.where.tolerations"
          path="experiment.where.tolerations"
          label={t('inspector.kubernetes.tolerations')}
          placeholder="nvidia.com/gpu:NoSchedule"
          value={(target.tolerations ?? [])
            .map(
              ({ key, value, effect }) =>
                `${key}${value === undefined ? '' : `=${value}`}${effect === undefined ? '' : `:${effect}`}`,
            )
            .join('\n')}
          schema={accepted(shape.tolerations, tolerationsOf)}
          long
          onChange={(text) =>
            change({ tolerations: shape.tolerations.parse(tolerationsOf(text)) }, 'tolerations')
          }
        />
      </Fold>
      <Fold label={t('inspector.kubernetes.objects')} startsOpen={false} wrong={false}>
        <Preview target={target} />
      </Fold>
    </>
  );
}

/** The objects exactly as they will be created, but for the run's name. */
function Preview({ target }: { target: KubernetesTarget }) {
  const { t } = useTranslation();
  const lab = useLabStore((state) => state.lab);
  const [text, setText] = useState<string>();
  useEffect(() => {
    let isShown = true;
    const show = (shown: string | undefined): void => {
      if (isShown) setText(shown);
    };
    if (lab === undefined || hasErrors(checkLab(lab))) show(undefined);
    else
      void loadPart(() => import('yaml')).then(({ stringify }) =>
        show(
          previewObjects(lab, target, false)
            .map((one) => stringify(one, kubectlYaml))
            .join('---\n'),
        ),
      );
    return () => {
      isShown = false;
    };
  }, [lab, target]);
  return text === undefined ? (
    <p className={classes.hint}>{t('inspector.where.noScript')}</p>
  ) : (
    <>
      {lab !== undefined && isOneSet(lab, undefined, true) && (
        <p className={classes.hint}>{t('inspector.kubernetes.jobSet')}</p>
      )}
      <Code block>{text}</Code>
    </>
  );
}
