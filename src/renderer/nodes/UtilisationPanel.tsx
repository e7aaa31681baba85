/** The utilisation of every machine of a run: a card for each node, from its monitor's samples. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { trainingNodes } from '../../shared/lab/lab.ts';
import { isEnded, type RunRecord } from '../../shared/run/run.ts';
import { seriesColour } from '../../shared/base/series-colour.ts';
import { HeatStrip } from './HeatStrip.tsx';
import { NodeUtilisation } from './NodeUtilisation.tsx';
import classes from './UtilisationPanel.module.css';
import { useSamplesPhase } from './use-samples.ts';

/** @param lead shown above the cards: a summary of the numbers in text */
export function UtilisationPanel({ run, lead }: { run: RunRecord; lead?: ReactNode }) {
  const { t } = useTranslation();
  const phase = useSamplesPhase(run.id);
  const nodes = trainingNodes(run.lab);
  return (
    <section
      className={classes.panel}
      // It scrolls, but contains nothing that takes the focus.
      tabIndex={0}
      aria-label={t('runs.node.title')}
      aria-busy={phase === 'loading'}
    >
      {phase === 'failed' && (
        <p className={classes.problem} role="alert">
          {t('runs.node.failed')}
        </p>
      )}
      {lead}
      <HeatStrip run={run} />
      <div className={classes.cards}>
        {nodes.map((node) => (
          <NodeUtilisation
            key={node.id}
            runId={run.id}
            node={node}
            colour={seriesColour(run.lab.nodes.findIndex((one) => one.id === node.id))}
            ranks={run.ranks
              .filter((rank) => rank.nodeId === node.id)
              .map((rank) => ({ rank: rank.rank, pid: rank.process?.pid }))}
            ended={isEnded(run.state)}
          />
        ))}
      </div>
    </section>
  );
}
