/** Makes a bundle of what nodes without internet need, or imports one that was made elsewhere. */
import { Button, Checkbox, Modal, Tabs, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CudaVersion, type BundleSummary } from '../../shared/contract/api.ts';
import { toWireError, type WireError } from '../../shared/base/errors.ts';
import { trainingNodes } from '../../shared/lab/lab.ts';
import { useApi } from '../api/index.ts';
import { StepList } from '../nodes/index.ts';
import { showDialog, useLabStore, useLanguage, useReadiness, useViewStore } from '../state/index.ts';
import { ErrorNote, formatBytes } from '../ui/index.ts';
import classes from './BundleDialog.module.css';

export function BundleDialog() {
  const { t } = useTranslation();
  const opened = useViewStore((state) => state.dialog === 'bundle');
  return (
    <Modal opened={opened} onClose={() => showDialog(undefined)} title={t('shell.bundle.title')} size="lg">
      {opened && (
        <Tabs defaultValue="make">
          <Tabs.List mb="md">
            <Tabs.Tab value="make">{t('shell.bundle.make')}</Tabs.Tab>
            <Tabs.Tab value="import">{t('shell.bundle.import')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="make">
            <Make />
          </Tabs.Panel>
          <Tabs.Panel value="import">
            <Import />
          </Tabs.Panel>
        </Tabs>
      )}
    </Modal>
  );
}

/** One piece of work at a time, which ends with the dialog. */
function useWork<T>() {
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<T>();
  const [error, setError] = useState<WireError>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const start = (work: (signal: AbortSignal) => Promise<T>): void => {
    const now = new AbortController();
    stop.current = now;
    setBusy(true);
    setResult(undefined);
    setError(undefined);
    work(now.signal)
      .then(setResult, (caught: unknown) => {
        const wire = toWireError(caught);
        if (wire.code !== 'cancelled') setError(wire);
      })
      .finally(() => setBusy(false));
  };
  return { busy, result, error, start, cancel: () => stop.current?.abort() };
}

function Make() {
  const { t } = useTranslation();
  const api = useApi();
  const lab = useLabStore((state) => state.lab);
  const [folder, setFolder] = useState('');
  const [cuda, setCuda] = useState('');
  const { busy, result, error, start, cancel } = useWork<BundleSummary>();
  const wrong = cuda !== '' && !CudaVersion.safeParse(cuda).success;
  if (lab === undefined) return null;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        const place = folder.trim() === '' ? {} : { folder: folder.trim() };
        const wanted = cuda === '' ? {} : { cuda };
        start((signal) => api.call('bundle.make', { lab, ...place, ...wanted }, signal));
      }}
    >
      <p className={classes.about}>{t('shell.bundle.about')}</p>
      <TextInput
        data-autofocus
        label={t('shell.bundle.folder')}
        description={t('shell.bundle.folderHint')}
        value={folder}
        disabled={busy}
        onChange={(event) => setFolder(event.currentTarget.value)}
      />
      <TextInput
        label={t('shell.bundle.cuda')}
        description={t('shell.bundle.cudaHint')}
        value={cuda}
        disabled={busy}
        error={wrong && t('shell.bundle.cudaWrong')}
        onChange={(event) => setCuda(event.currentTarget.value.trim())}
      />
      {(busy || error !== undefined) &&
        trainingNodes(lab).map(({ id, name }) => (
          <NodeSteps key={id} labId={lab.id} nodeId={id} name={name} />
        ))}
      {error !== undefined && <ErrorNote error={error} />}
      {result !== undefined && <Made bundle={result} />}
      <Buttons label={t('shell.bundle.start')} busy={busy} disabled={wrong} onCancel={cancel} />
    </form>
  );
}

/** The form's own button, and one that cancels its work, or closes the dialog. */
function Buttons(props: { label: string; busy: boolean; disabled: boolean; onCancel: () => void }) {
  const { t } = useTranslation();
  const { label, busy, disabled, onCancel } = props;
  return (
    <div className={classes.buttons}>
      <Button variant="default" onClick={() => (busy ? onCancel() : showDialog(undefined))}>
        {t(busy ? 'shell.cancel' : 'shell.bundle.close')}
      </Button>
      <Button type="submit" loading={busy} disabled={disabled}>
        {label}
      </Button>
    </div>
  );
}

/** What a node is asked, and what is downloaded for it. */
function NodeSteps({ labId, nodeId, name }: { labId: string; nodeId: string; name: string }) {
  const { t } = useTranslation();
  const readiness = useReadiness(labId, nodeId);
  const steps = (readiness?.steps ?? []).filter(
    ({ state, instead }) => state !== 'waiting' && (instead === 'bundle' || state !== 'done'),
  );
  if (steps.length === 0) return null;
  return (
    <section>
      <h4 className={classes.node}>{name}</h4>
      <StepList steps={steps} label={t('shell.bundle.steps', { node: name })} node={name} nodeId={nodeId} />
    </section>
  );
}

function Made({ bundle }: { bundle: BundleSummary }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { folder, systems, packages, conda, wheels, trainers, bytes } = bundle;
  return (
    <div role="status" className={classes.result}>
      <p>{t('shell.bundle.made', { size: formatBytes(bytes, language), folder })}</p>
      <ul>
        {systems.length > 0 && (
          <li>{t('shell.bundle.packages', { count: packages, systems: systems.join(', ') })}</li>
        )}
        {conda > 0 && <li>{t('shell.bundle.conda', { count: conda })}</li>}
        {wheels.map(({ arch, python, torch, packages: count }) => (
          <li key={`${arch} ${python} ${torch ?? ''}`}>
            {t('shell.bundle.wheels', { count, arch, python, torch: torch ?? '–' })}
          </li>
        ))}
        {trainers > 0 && <li>{t('shell.bundle.trainers', { count: trainers })}</li>}
      </ul>
    </div>
  );
}

function Import() {
  const { t } = useTranslation();
  const api = useApi();
  const language = useLanguage();
  const [folder, setFolder] = useState('');
  const [programs, setPrograms] = useState(false);
  const { busy, result, error, start, cancel } = useWork<{
    objects: number;
    bytes: number;
    programsLeft: number;
  }>();
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        start((signal) => api.call('bundle.add', { folder: folder.trim(), programs }, signal));
      }}
    >
      <p className={classes.about}>{t('shell.bundle.aboutImport')}</p>
      <TextInput
        label={t('shell.bundle.from')}
        value={folder}
        disabled={busy}
        onChange={(event) => setFolder(event.currentTarget.value)}
      />
      <Checkbox
        label={t('shell.bundle.programs')}
        description={t('shell.bundle.programsHint')}
        checked={programs}
        disabled={busy}
        onChange={(event) => setPrograms(event.currentTarget.checked)}
      />
      {error !== undefined && <ErrorNote error={error} />}
      {result !== undefined && (
        <div role="status" className={classes.result}>
          <p>
            {t('shell.bundle.imported', {
              count: result.objects,
              size: formatBytes(result.bytes, language),
            })}
          </p>
          {result.programsLeft > 0 && <p>{t('shell.bundle.programsLeft', { count: result.programsLeft })}</p>}
        </div>
      )}
      <Buttons
        label={t('shell.bundle.startImport')}
        busy={busy}
        disabled={folder.trim() === ''}
        onCancel={cancel}
      />
    </form>
  );
}
