/** The preparation steps of a node, live: state, time, progress, errors with their diagnoses, and the log of each. */
import { ActionIcon, Tooltip } from '@mantine/core';
import {
  IconAlertTriangle,
  IconChevronRight,
  IconCircle,
  IconCircleCheck,
  IconCircleX,
  IconLoader2,
  IconRefresh,
} from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { linesIn } from '../../shared/base/phrase.ts';
import { stepIds, type NodeReadiness, type StepId, type StepRecord } from '../../shared/node/provision.ts';
import { formatBytes, formatDuration } from '../ui/index.ts';
import { useLanguage, useNow } from '../state/index.ts';
import { StateIcon, type Look } from '../theme/index.ts';
import { Diagnoses } from './Diagnoses.tsx';
import { ErrorNote } from '../ui/index.ts';
import classes from './steps.module.css';

const look = (colour: string, Icon: Look['Icon'], spins = false): Look => ({
  colour: `var(--rl-state-${colour})`,
  Icon,
  spins,
});
const busy = look('busy', IconLoader2, true);
const stepLook: Readonly<Record<StepRecord['state'], Look>> = {
  waiting: look('idle', IconCircle),
  checking: busy,
  applying: busy,
  verifying: busy,
  done: look('done', IconCircleCheck),
  failed: look('failed', IconAlertTriangle),
  cancelled: look('stopped', IconCircleX),
};
export const readinessLook: Readonly<Record<NodeReadiness['state'], Look>> = {
  unknown: stepLook.waiting,
  preparing: busy,
  ready: stepLook.done,
  failed: stepLook.failed,
  cancelled: stepLook.cancelled,
};

export interface StepListProps {
  readonly steps: readonly StepRecord[];
  /** The list's label. */
  readonly label: string;
  /** The node's name if lists of several nodes are shown side by side, so that their buttons' labels differ. */
  readonly node: string;
  readonly nodeId: string;
  /** Repeats a step; undefined while that is not possible. */
  readonly onRedo?: ((step: StepId) => void) | undefined;
}

export function StepList({ steps, label, node, nodeId, onRedo }: StepListProps) {
  return (
    <ol className={classes.steps} aria-label={label}>
      {steps
        .toSorted((a, b) => stepIds.indexOf(a.id) - stepIds.indexOf(b.id))
        .map((step) => (
          <Step
            key={step.id}
            step={step}
            node={node}
            nodeId={nodeId}
            onRedo={onRedo === undefined ? undefined : () => onRedo(step.id)}
          />
        ))}
    </ol>
  );
}

function Step(props: { step: StepRecord; node: string; nodeId: string; onRedo: (() => void) | undefined }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { step, node, nodeId, onRedo } = props;
  const [chosen, setChosen] = useState<boolean>();
  const active = ['checking', 'applying', 'verifying'].includes(step.state);
  const now = useNow(active);
  const open = chosen ?? step.state === 'failed';
  const name = t(`inspector.step.${step.instead ?? step.id}`);
  const took =
    step.startedAt === undefined ? 0 : (step.endedAt ?? (active ? now : step.startedAt)) - step.startedAt;
  const redo = t('inspector.readiness.redo', { step: name });
  return (
    <li data-step={step.id} data-state={step.state}>
      <div className={classes.head}>
        <button
          type="button"
          className={classes.step}
          aria-expanded={open}
          aria-label={t('inspector.readiness.showLog', { step: name, node })}
          onClick={() => setChosen(!open)}
        >
          <IconChevronRight size={12} className={classes.chevron} data-open={open} aria-hidden />
          <StateIcon look={stepLook[step.state]} size={14} />
          <span className={classes.name}>{name}</span>
          <span className={classes.summary} title={step.summary[language]}>
            {step.summary[language]}
          </span>
          <span className={classes.state}>
            {step.alreadyThere && step.state === 'done'
              ? t('inspector.stepState.already')
              : t(`inspector.stepState.${step.state}`)}
          </span>
          <span className={classes.time}>
            {took < 0.05 ? '' : formatDuration(active ? Math.floor(took) : took, language)}
          </span>
        </button>
        {onRedo !== undefined && (step.state === 'failed' || step.state === 'done') && (
          <Tooltip label={redo}>
            <ActionIcon size={24} aria-label={redo} onClick={onRedo}>
              <IconRefresh size={13} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {active && <StepProgress step={step} name={name} />}
      {step.error !== undefined && <ErrorNote error={step.error} />}
      {step.diagnoses !== undefined && (
        <Diagnoses diagnoses={step.diagnoses} onRetry={onRedo} nodeId={nodeId} />
      )}
      {open && <StepLog step={step} />}
    </li>
  );
}

function StepProgress({ step, name }: { step: StepRecord; name: string }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { progress } = step;
  if (progress === undefined) return null;
  return (
    <div className={classes.progress}>
      <progress max={Math.max(1, progress.total)} value={progress.done} aria-label={name} />
      <span>
        {progress.unit === 'bytes'
          ? t('runs.node.of', {
              used: formatBytes(progress.done, language),
              total: formatBytes(progress.total, language),
            })
          : t(`inspector.readiness.${progress.unit}`, { done: progress.done, count: progress.total })}
      </span>
    </div>
  );
}

function StepLog({ step }: { step: StepRecord }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    // Follows the newest line unless the user has scrolled up.
    if (atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [step.log]);
  if (step.log.length === 0) return <p className={classes.none}>{t('inspector.readiness.noLog')}</p>;
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
        <em>{`${t('inspector.readiness.dropped', { count: step.droppedLogLines })}\n`}</em>
      )}
      {linesIn(step.log, language)}
    </pre>
  );
}
