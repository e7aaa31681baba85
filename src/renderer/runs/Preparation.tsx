/** From bare to ready, all nodes side by side: the steps with their times, progress and logs. */
import {
  IconAlertTriangle,
  IconChevronRight,
  IconCircle,
  IconCircleCheck,
  IconCircleX,
  IconLoader2,
} from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { trainingNodes, type LabNode } from '../../shared/lab.ts';
import { stepIds, type NodeReadiness, type StepRecord } from '../../shared/provision.ts';
import type { RunRecord } from '../../shared/run.ts';
import { formatBytes, formatDuration } from '../charts/index.ts';
import { ErrorNote } from '../inspector/index.ts';
import { useLanguage, useProvisionStore, useReadiness } from '../state/index.ts';
import { nodeColour, StateIcon, type Look } from '../theme/index.ts';
import classes from './runs.module.css';
import { useNow } from './use-now.ts';

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
const nodeLook: Readonly<Record<NodeReadiness['state'], Look>> = {
  unknown: stepLook.waiting,
  preparing: busy,
  ready: stepLook.done,
  failed: stepLook.failed,
  cancelled: stepLook.cancelled,
};

export function Preparation({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const nodes = trainingNodes(run.lab);
  const ready = useProvisionStore(
    (state) => nodes.filter((node) => state.nodes[`${run.labId}/${node.id}`]?.state === 'ready').length,
  );
  return (
    <section className={classes.preparation} aria-label={t('runs.prepare.title')}>
      <p className={classes.dim}>{t('runs.prepare.summary', { ready, count: nodes.length })}</p>
      <div className={classes.preparedNodes}>
        {nodes.map((node) => (
          <PreparedNode
            key={node.id}
            labId={run.labId}
            node={node}
            colour={nodeColour(run.lab.nodes.findIndex((one) => one.id === node.id))}
          />
        ))}
      </div>
    </section>
  );
}

function PreparedNode({ labId, node, colour }: { labId: string; node: LabNode; colour: string }) {
  const { t } = useTranslation();
  const readiness = useReadiness(labId, node.id);
  const state = readiness?.state ?? 'unknown';
  const steps = (readiness?.steps ?? []).toSorted((a, b) => stepIds.indexOf(a.id) - stepIds.indexOf(b.id));
  return (
    <article
      className={classes.prepared}
      style={{ borderLeftColor: colour }}
      aria-label={node.name}
      data-state={state}
    >
      <h3>
        {node.name}
        <span className={classes.state} style={{ color: nodeLook[state].colour }}>
          <StateIcon look={nodeLook[state]} size={14} />
          {t(`runs.prepare.nodeState.${state}`)}
        </span>
      </h3>
      {steps.length === 0 ? (
        <p className={classes.dim}>{t('runs.prepare.none')}</p>
      ) : (
        <ol>
          {steps.map((step) => (
            <Step key={step.id} step={step} node={node.name} />
          ))}
        </ol>
      )}
    </article>
  );
}

function Step({ step, node }: { step: StepRecord; node: string }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const [chosen, setChosen] = useState<boolean>();
  const active = ['checking', 'applying', 'verifying'].includes(step.state);
  const now = useNow(active);
  const open = chosen ?? step.state === 'failed';
  const name = t(`inspector.step.${step.id}`);
  const took =
    step.startedAt === undefined
      ? undefined
      : (step.endedAt ?? (active ? now : step.startedAt)) - step.startedAt;
  const { progress } = step;
  return (
    <li data-step={step.id} data-state={step.state}>
      <button
        type="button"
        className={classes.step}
        aria-expanded={open}
        aria-label={t('runs.prepare.showLog', { step: name, node })}
        onClick={() => setChosen(!open)}
      >
        <IconChevronRight size={12} className={classes.chevron} data-open={open} aria-hidden />
        <StateIcon look={stepLook[step.state]} size={14} />
        <span className={classes.stepName}>{name}</span>
        <span className={classes.stepSummary}>{step.summary}</span>
        <span className={classes.stepState}>
          {step.alreadyThere && step.state === 'done'
            ? t('inspector.stepState.already')
            : t(`inspector.stepState.${step.state}`)}
        </span>
        <span className={classes.stepTime}>
          {took === undefined || took < 0.05
            ? ''
            : formatDuration(active ? Math.floor(took) : took, language)}
        </span>
      </button>
      {progress !== undefined && active && (
        <div className={classes.stepProgress}>
          <progress max={Math.max(1, progress.total)} value={progress.done} aria-label={name} />
          <span>
            {progress.unit === 'bytes'
              ? t('runs.node.of', {
                  used: formatBytes(progress.done, language),
                  total: formatBytes(progress.total, language),
                })
              : t(`runs.prepare.${progress.unit}`, { done: progress.done, count: progress.total })}
          </span>
        </div>
      )}
      {step.error !== undefined && <ErrorNote error={step.error} />}
      {open && <StepLog step={step} />}
    </li>
  );
}

function StepLog({ step }: { step: StepRecord }) {
  const { t } = useTranslation();
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    // Follows the newest line unless the person has scrolled up to read.
    if (atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [step.log]);
  if (step.log.length === 0) return <p className={classes.dim}>{t('runs.prepare.noLog')}</p>;
  return (
    <pre
      ref={box}
      className={classes.stepLog}
      tabIndex={0}
      aria-label={t('runs.prepare.step')}
      onScroll={({ currentTarget: at }) => {
        atEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 24;
      }}
    >
      {step.droppedLogLines > 0 && (
        <em>{`${t('runs.prepare.dropped', { count: step.droppedLogLines })}\n`}</em>
      )}
      {step.log.join('\n')}
    </pre>
  );
}
