/** The button 'Test connection': logs in and reads the machine's facts; changes nothing. */
import { Button } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toWireError, type WireError } from '../../shared/base/errors.ts';
import type { LabNode } from '../../shared/lab/lab.ts';
import type { NodeFacts } from '../../shared/node/provision.ts';
import { useApi } from '../api/index.ts';
import { saveNow, useConnection, useFirstPrompt, useLabId, useNow, useReadiness } from '../state/index.ts';
import { ConnectionWait } from '../nodes/index.ts';
import { ErrorNote } from '../ui/index.ts';
import { FieldGroup } from '../ui/index.ts';
import classes from './Inspector.module.css';

type Outcome = { readonly facts: NodeFacts } | { readonly error: WireError };

export function ConnectionTest({ node }: { node: LabNode }) {
  const { t } = useTranslation();
  const api = useApi();
  const labId = useLabId();
  const known = useReadiness(labId, node.id)?.facts;
  const [outcome, setOutcome] = useState<Outcome>();
  const [busy, setBusy] = useState(false);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  if (labId === undefined) return null;

  const test = async (): Promise<void> => {
    const own = new AbortController();
    stop.current = own;
    setBusy(true);
    setOutcome(undefined);
    try {
      await saveNow(api);
      const facts = await api.call('node.probe', { labId, nodeId: node.id }, own.signal);
      setOutcome({ facts });
    } catch (error) {
      const wire = toWireError(error);
      if (wire.code !== 'cancelled') setOutcome({ error: wire });
    } finally {
      if (stop.current === own) setBusy(false);
    }
  };
  const found = outcome !== undefined && 'facts' in outcome ? outcome.facts : undefined;
  return (
    <FieldGroup title={t('inspector.connection.title')}>
      <div className={classes.buttons}>
        <Button
          variant="default"
          loading={busy}
          leftSection={<IconPlugConnected size={14} />}
          onClick={() => void test()}
        >
          {t('inspector.connection.test')}
        </Button>
        {busy && (
          <Button variant="subtle" color="gray" onClick={() => stop.current?.abort()}>
            {t('shell.cancel')}
          </Button>
        )}
      </div>
      {busy && <Awaited node={node} />}
      <ConnectionWait nodeId={node.id} />
      <div aria-live="polite">
        {outcome !== undefined && 'error' in outcome && <ErrorNote error={outcome.error} />}
        {found !== undefined && <Facts facts={found} />}
        {outcome === undefined && known !== undefined && (
          <details className={classes.known}>
            <summary>{known.system.pretty}</summary>
            <Facts facts={known} />
          </details>
        )}
      </div>
    </FieldGroup>
  );
}

/** What a test waits for that takes more than a second, unless it is the user's answer or a wait that is counted down (`ConnectionWait`). */
function Awaited({ node: { id, access } }: { node: LabNode }) {
  const { t } = useTranslation();
  const now = useNow(true);
  const [since] = useState(now);
  const isAsked = useFirstPrompt() !== undefined;
  const connection = useConnection(useLabId(), id);
  const isCounted = connection?.state === 'connecting' && connection.retryAt !== undefined;
  const seconds = Math.floor(now - since);
  if (access.type !== 'ssh' || isAsked || isCounted || seconds < 1) return null;
  return (
    // Screen readers read a timer on request, not at every second.
    <p className={classes.hint} role="timer">
      {t('inspector.connection.waiting', { host: `${access.host}:${access.port}`, seconds })}
    </p>
  );
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(bytes < 1e10 ? 1 : 0)} GB`;

/** Without duplicates. */
const listed = (names: readonly string[]): string => [...new Set(names)].join(', ');

function Facts({ facts }: { facts: NodeFacts }) {
  const { t } = useTranslation();
  const { limits, internet = [], gpuProcesses = [], virtualisation = 'none' } = facts;
  const allowed = [
    ...(limits?.cpus === undefined ? [] : [t('inspector.facts.limitedCpus', { count: limits.cpus })]),
    ...(limits?.memoryBytes === undefined ? [] : [gigabytes(limits.memoryBytes)]),
  ];
  const names = (reached: boolean): string =>
    listed(internet.filter((one) => one.reached === reached).map(({ address }) => address));
  const tried = [
    ...(names(true) === '' ? [] : [t('inspector.facts.reached', { names: names(true) })]),
    ...(names(false) === '' ? [] : [t('inspector.facts.notReached', { names: names(false) })]),
  ];
  const rows: [label: string, value: string | undefined][] = [
    [t('inspector.facts.system'), `${facts.system.pretty}, ${facts.kernel}, ${facts.arch}`],
    [t('inspector.facts.host'), `${facts.user}@${facts.hostname}`],
    [t('inspector.facts.virtualisation'), virtualisation === 'none' ? undefined : virtualisation],
    [t('inspector.facts.cpu'), `${facts.cpus} × ${facts.cpuModel}`],
    [t('inspector.facts.limits'), allowed.length === 0 ? undefined : allowed.join(', ')],
    [
      t('inspector.facts.memory'),
      t('inspector.facts.free', {
        free: gigabytes(facts.memoryFreeBytes),
        total: gigabytes(facts.memoryBytes),
      }),
    ],
    [
      t('inspector.facts.disk'),
      t('inspector.facts.free', { free: gigabytes(facts.diskFreeBytes), total: gigabytes(facts.diskBytes) }),
    ],
    [
      'GPU',
      facts.gpus.length === 0 ? t('inspector.facts.none') : facts.gpus.map((gpu) => gpu.name).join(', '),
    ],
    [t('inspector.facts.driver'), facts.driver],
    [
      t('inspector.facts.gpuUsers'),
      gpuProcesses.length === 0
        ? undefined
        : listed(gpuProcesses.map(({ user, pid }) => user || String(pid))),
    ],
    ['CUDA', facts.cuda],
    ['libtorch', facts.libtorch ?? t('inspector.facts.none')],
    [t('inspector.facts.compiler'), facts.compiler ?? t('inspector.facts.none')],
    [t('inspector.facts.packageManager'), facts.packageManager],
    [t('inspector.facts.internet'), tried.length === 0 ? undefined : tried.join('; ')],
    [t('inspector.facts.clock'), `${facts.clockSkewSeconds.toFixed(1)} s`],
  ];
  return (
    <dl className={classes.facts}>
      {rows.map(([label, value]) =>
        value === undefined ? null : (
          <div key={label} className={classes.fact}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
