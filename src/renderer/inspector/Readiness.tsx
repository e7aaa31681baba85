/** From bare to ready: the steps of a node, live, each with its log. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import {
  IconChevronRight,
  IconCircle,
  IconCircleCheck,
  IconCircleX,
  IconLoader2,
  IconAlertTriangle,
  IconRefresh,
} from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toWireError, type WireError } from '../../shared/errors.ts';
import type { LabNode } from '../../shared/lab.ts';
import { stepIds, type StepId, type StepRecord } from '../../shared/provision.ts';
import { useApi } from '../api/index.ts';
import { saveNow, useLabId, useReadiness } from '../state/index.ts';
import { StateIcon, type Look } from '../theme/index.ts';
import { Diagnoses } from './Diagnoses.tsx';
import { ErrorNote } from './ErrorNote.tsx';
import { FieldGroup } from './fields.tsx';
import classes from './Inspector.module.css';

const busy: Look = { colour: 'var(--rl-state-busy)', Icon: IconLoader2, spins: true };
const stepLook: Readonly<Record<StepRecord['state'], Look>> = {
  waiting: { colour: 'var(--rl-state-idle)', Icon: IconCircle },
  checking: busy,
  applying: busy,
  verifying: busy,
  done: { colour: 'var(--rl-state-done)', Icon: IconCircleCheck },
  failed: { colour: 'var(--rl-state-failed)', Icon: IconAlertTriangle },
  cancelled: { colour: 'var(--rl-state-stopped)', Icon: IconCircleX },
};

export function Readiness({ node }: { node: LabNode }) {
  const { t } = useTranslation();
  const api = useApi();
  const labId = useLabId();
  const readiness = useReadiness(labId, node.id);
  const [error, setError] = useState<WireError>();
  const [asked, setAsked] = useState(false);
  const stop = useRef<AbortController>(undefined);
  if (labId === undefined) return null;
  const preparing = asked || readiness?.state === 'preparing';

  const prepare = async (redo?: StepId): Promise<void> => {
    const own = new AbortController();
    stop.current = own;
    setError(undefined);
    setAsked(true);
    try {
      await saveNow(api);
      await api.call(
        'provision.prepare',
        { labId, nodeIds: [node.id], ...(redo === undefined ? {} : { redo: [redo] }) },
        own.signal,
      );
    } catch (caught) {
      const wire = toWireError(caught);
      if (wire.code !== 'cancelled') setError(wire);
    } finally {
      if (stop.current === own) setAsked(false);
    }
  };
  const steps = readiness?.steps ?? [];
  return (
    <FieldGroup title={t('inspector.readiness.title')}>
      <div className={classes.buttons}>
        <Button variant="default" loading={preparing} onClick={() => void prepare()}>
          {t('inspector.readiness.prepare')}
        </Button>
        {asked && (
          <Button variant="subtle" color="gray" onClick={() => stop.current?.abort()}>
            {t('shell.cancel')}
          </Button>
        )}
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {steps.length === 0 ? (
        <p className={classes.note}>{t('inspector.readiness.none')}</p>
      ) : (
        <ol className={classes.steps} aria-label={t('inspector.readiness.title')}>
          {[...steps]
            .sort((a, b) => stepIds.indexOf(a.id) - stepIds.indexOf(b.id))
            .map((step) => (
              <Step key={step.id} step={step} onRedo={preparing ? undefined : () => void prepare(step.id)} />
            ))}
        </ol>
      )}
    </FieldGroup>
  );
}

function Step({ step, onRedo }: { step: StepRecord; onRedo: (() => void) | undefined }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? step.state === 'failed';
  const name = t(`inspector.step.${step.id}`);
  const { progress } = step;
  const share = progress === undefined || progress.total === 0 ? undefined : progress.done / progress.total;
  return (
    <li className={classes.step}>
      <div className={classes.stepHead}>
        <button
          type="button"
          className={classes.stepButton}
          aria-expanded={open}
          onClick={() => setChosen(!open)}
        >
          <IconChevronRight size={12} className={classes.chevron} data-open={open} aria-hidden />
          <StateIcon look={stepLook[step.state]} />
          <span className={classes.stepName}>{name}</span>
          <span className={classes.stepState}>
            {share !== undefined && step.state === 'applying'
              ? `${Math.round(share * 100)} %`
              : step.alreadyThere && step.state === 'done'
                ? t('inspector.stepState.already')
                : t(`inspector.stepState.${step.state}`)}
          </span>
        </button>
        {onRedo !== undefined && (step.state === 'failed' || step.state === 'done') && (
          <Tooltip label={t('inspector.readiness.redo', { step: name })}>
            <ActionIcon size={24} aria-label={t('inspector.readiness.redo', { step: name })} onClick={onRedo}>
              <IconRefresh size={13} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {step.summary !== '' && <div className={classes.stepSummary}>{step.summary}</div>}
      {step.error !== undefined && <ErrorNote error={step.error} />}
      {step.diagnoses !== undefined && <Diagnoses diagnoses={step.diagnoses} onRetry={onRedo} />}
      {open && <StepLog step={step} />}
    </li>
  );
}

function StepLog({ step }: { step: StepRecord }) {
  const { t } = useTranslation();
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    // Follows the newest line unless the person has scrolled up to read.
    if (atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [step.log]);
  if (step.log.length === 0) return <p className={classes.note}>{t('inspector.readiness.noLog')}</p>;
  return (
    <pre
      ref={box}
      className={classes.log}
      tabIndex={0}
      aria-label={t('inspector.readiness.log')}
      onScroll={({ currentTarget: at }) => {
        atEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 24;
      }}
    >
      {step.droppedLogLines > 0 && (
        <em>{t('inspector.readiness.dropped', { count: step.droppedLogLines })}</em>
      )}
      {step.log.join('\n')}
    </pre>
  );
}
