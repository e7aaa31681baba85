/** The preparation of all nodes side by side: the steps with their times, progress and logs. */
import { useTranslation } from 'react-i18next';
import { trainingNodes, type LabNode } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { seriesColour } from '../../../shared/base/series-colour.ts';
import { ConnectionWait, readinessLook, StepList } from '../../nodes/index.ts';
import { useProvisionStore, useReadiness } from '../../state/index.ts';
import { StateLabel } from '../../ui/index.ts';
import classes from './Preparation.module.css';

export function Preparation({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const nodes = trainingNodes(run.lab);
  const ready = useProvisionStore(
    (state) => nodes.filter((node) => state.nodes[`${run.labId}/${node.id}`]?.state === 'ready').length,
  );
  return (
    <section className={classes.preparation} aria-label={t('runs.prepare.title')}>
      <p className={classes.note}>{t('runs.prepare.summary', { ready, count: nodes.length })}</p>
      <div className={classes.preparedNodes}>
        {nodes.map((node) => (
          <PreparedNode
            key={node.id}
            labId={run.labId}
            node={node}
            colour={seriesColour(run.lab.nodes.findIndex((one) => one.id === node.id))}
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
  const steps = readiness?.steps ?? [];
  return (
    <article
      className={classes.prepared}
      style={{ borderLeftColor: colour }}
      aria-label={node.name}
      data-state={state}
    >
      <h3>
        {node.name}
        <StateLabel look={readinessLook[state]} size={14}>
          {t(`runs.prepare.nodeState.${state}`)}
        </StateLabel>
      </h3>
      <ConnectionWait nodeId={node.id} />
      {steps.length === 0 ? (
        <p className={classes.note}>{t('runs.prepare.none')}</p>
      ) : (
        <StepList steps={steps} label={t('runs.prepare.title')} node={node.name} nodeId={node.id} />
      )}
    </article>
  );
}
