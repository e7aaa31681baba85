/** What a Slurm cluster offers: asked of it by a button, and shown for the partition and account that are chosen. */
import { Button } from '@mantine/core';
import { IconFolderShare, IconListSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toWireError, type WireError } from '../../shared/base/errors.ts';
import type { SlurmTarget } from '../../shared/lab/where.ts';
import {
  gpuTypesOf,
  partitionOf,
  type FolderTrial,
  type SlurmAccount,
  type SlurmFacts,
  type SlurmNodes,
  type SlurmQos,
} from '../../shared/node/slurm-facts.ts';
import { describeMisfit } from '../../shared/node/misfit.ts';
import { slurmMisfits, type MisfitField } from '../../shared/node/slurm-fit.ts';
import { useApi } from '../api/index.ts';
import { putClusterFacts, saveNow, useClusterFacts, useLab, useLabId, useLanguage } from '../state/index.ts';
import { ErrorNote, formatBytes, formatDuration, formatNumber } from '../ui/index.ts';
import classes from './Inspector.module.css';

type Asked = 'offer' | 'folder';

export function ClusterFacts({ slurm }: { slurm: SlurmTarget }) {
  const { t } = useTranslation();
  const api = useApi();
  const labId = useLabId();
  const facts = useClusterFacts(slurm);
  const misfit = useMisfits(slurm);
  const [error, setError] = useState<WireError>();
  const [trial, setTrial] = useState<FolderTrial>();
  const [busy, setBusy] = useState<Asked>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  if (labId === undefined) return null;

  const ask = async (what: Asked): Promise<void> => {
    const own = new AbortController();
    stop.current = own;
    setBusy(what);
    setError(undefined);
    setTrial(undefined);
    try {
      await saveNow(api);
      if (what === 'offer') putClusterFacts(slurm, await api.call('slurm.facts', { labId }, own.signal));
      else setTrial(await api.call('slurm.tryFolder', { labId }, own.signal));
    } catch (caught) {
      const wire = toWireError(caught);
      if (wire.code !== 'cancelled') setError(wire);
    } finally {
      if (stop.current === own) setBusy(undefined);
    }
  };
  const drawn = misfit('nodes');
  const isDisabled = (what: Asked): boolean =>
    slurm.login.host.trim() === '' || (busy !== undefined && busy !== what);
  return (
    <>
      <div className={classes.buttons}>
        <Button
          variant="default"
          loading={busy === 'offer'}
          leftSection={<IconListSearch size={14} />}
          disabled={isDisabled('offer')}
          onClick={() => void ask('offer')}
        >
          {t('inspector.where.ask')}
        </Button>
        {slurm.nodeLocal !== true && (
          <Button
            variant="default"
            loading={busy === 'folder'}
            leftSection={<IconFolderShare size={14} />}
            disabled={isDisabled('folder')}
            onClick={() => void ask('folder')}
          >
            {t('inspector.where.tryFolder')}
          </Button>
        )}
        {busy !== undefined && (
          <Button variant="subtle" color="gray" onClick={() => stop.current?.abort()}>
            {t('shell.cancel')}
          </Button>
        )}
      </div>
      <div aria-live="polite">
        {error !== undefined && <ErrorNote error={error} />}
        {trial !== undefined && (
          <p className={trial.state === 'apart' ? classes.error : classes.hint}>
            {trial.state === 'busy'
              ? t('inspector.where.folder.busy', { seconds: trial.seconds })
              : t(`inspector.where.folder.${trial.state}`, { node: trial.node, folder: trial.folder })}
          </p>
        )}
        {drawn !== undefined && <p className={classes.error}>{drawn}</p>}
        {facts !== undefined && <Offer slurm={slurm} facts={facts} />}
      </div>
    </>
  );
}

/** Why a field's value, or what is drawn, does not fit the cluster as it was last seen; nothing before it was asked. */
export function useMisfits(slurm: SlurmTarget): (field: MisfitField) => string | undefined {
  const language = useLanguage();
  const lab = useLab();
  const facts = useClusterFacts(slurm);
  const found = lab === undefined || facts === undefined ? [] : slurmMisfits(lab, slurm, facts);
  return (field) => {
    const here = found.filter((one) => one.field === field);
    return here.length === 0 ? undefined : here.map((one) => describeMisfit(one, language)).join(' ');
  };
}

/** Names to choose from in the fields. */
export function suggestionsOf(slurm: SlurmTarget, facts: SlurmFacts | undefined): Suggestions {
  const accounts = facts?.accounts ?? [];
  const own = accounts.filter(({ name }) => (slurm.account ?? '') === '' || name === slurm.account);
  return {
    partition: facts?.partitions.map(({ name }) => name),
    account: facts?.accounts?.map(({ name }) => name),
    qos: facts?.accounts === undefined ? undefined : own.flatMap(({ qos }) => qos),
    gpuType: facts === undefined ? undefined : gpuTypesOf(partitionOf(facts, slurm.partition)),
  };
}
export type Suggestions = Readonly<
  Record<'partition' | 'account' | 'qos' | 'gpuType', readonly string[] | undefined>
>;

/** As many lines as a glance takes in; the command line's tools have the rest. */
const maxShown = 8;

function Offer({ slurm, facts }: { slurm: SlurmTarget; facts: SlurmFacts }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const partition = partitionOf(facts, slurm.partition);
  const minutes = (value: number): string => formatDuration(value * 60, language);
  const nodesText = ({ count, idle, cpus, memoryMb, gpus }: SlurmNodes): string =>
    [
      t('inspector.where.facts.free', { idle, total: count }),
      t('inspector.where.facts.cpus', { count: cpus }),
      // As memory is drawn, in steps of 1,024 MB.
      `${formatNumber(Math.floor((memoryMb / 1024) * 10) / 10, language)} GB`,
      ...gpus.map((gpu) => `${gpu.count} × ${gpu.type === '' ? 'GPU' : gpu.type}`),
    ].join(' · ');
  const limits = ({ maxJobs, maxSubmit, maxTime }: SlurmAccount | SlurmQos): string[] => [
    ...(maxJobs === undefined ? [] : [t('inspector.where.facts.maxJobs', { count: maxJobs })]),
    ...(maxSubmit === undefined ? [] : [t('inspector.where.facts.maxSubmit', { count: maxSubmit })]),
    ...(maxTime === undefined ? [] : [t('inspector.where.facts.upTo', { time: maxTime })]),
  ];
  const accountText = (account: SlurmAccount): string => {
    const { name, partition: only, qos } = account;
    const more = [...(only === undefined ? [] : [only]), ...qos, ...limits(account)];
    return more.length === 0 ? name : `${name} (${more.join(', ')})`;
  };
  const qosText = (qos: SlurmQos): string => {
    const more = [...(qos.maxOfUser === undefined ? [] : [qos.maxOfUser]), ...limits(qos)];
    return more.length === 0 ? qos.name : `${qos.name} (${more.join(', ')})`;
  };
  const { home, quota } = facts;
  const rows: [label: string, values: readonly string[]][] = [
    ['Slurm', [facts.version]],
    [
      t('inspector.where.partition'),
      partition === undefined
        ? [t('inspector.where.facts.noDefault')]
        : [
            [
              partition.name,
              partition.maxMinutes === undefined
                ? t('inspector.where.facts.noLimit')
                : t('inspector.where.facts.upTo', { time: minutes(partition.maxMinutes) }),
              ...(partition.defaultMinutes === undefined
                ? []
                : [t('inspector.where.facts.byDefault', { time: minutes(partition.defaultMinutes) })]),
            ].join(' · '),
          ],
    ],
    [t('inspector.where.facts.nodes'), (partition?.nodes ?? []).map(nodesText)],
    [
      t('inspector.where.account'),
      facts.accounts === undefined
        ? [t('inspector.where.facts.noAccounting')]
        : facts.accounts.map(accountText),
    ],
    [t('inspector.where.qos'), (facts.qos ?? []).filter(isOfUser(slurm, facts)).map(qosText)],
    [
      t('inspector.where.facts.home'),
      [
        ...(home === undefined
          ? []
          : [
              t('inspector.facts.free', {
                free: formatBytes(home.free, language),
                total: formatBytes(home.total, language),
              }),
            ]),
        ...(quota === undefined
          ? []
          : [
              t('inspector.where.facts.quota', {
                used: formatBytes(quota.used, language),
                limit: formatBytes(quota.limit, language),
              }),
            ]),
      ],
    ],
  ];
  return (
    <dl className={classes.facts}>
      {rows.map(([label, values]) =>
        values.length === 0 ? null : (
          <div key={label} className={classes.fact}>
            <dt>{label}</dt>
            <dd>
              {values.slice(0, maxShown).map((value, index) => (
                // Two kinds of nodes may read alike.
                <div key={`${index} ${value}`}>{value}</div>
              ))}
              {values.length > maxShown && (
                <div>{t('inspector.where.facts.more', { left: values.length - maxShown })}</div>
              )}
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** A QOS that the user's accounts name; each, where they name none. */
const isOfUser = (slurm: SlurmTarget, facts: SlurmFacts): ((qos: SlurmQos) => boolean) => {
  const named = new Set(suggestionsOf(slurm, facts).qos);
  return ({ name }) => named.size === 0 || named.has(name);
};
