/** The scalars of one run, below the trainer's charts or alone, with the panel's settings. */
import { useMemo } from 'react';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { RunScalar } from '../../../shared/run/run-outputs.ts';
import { ScalarGroups } from '../scalars/ScalarGroups.tsx';
import type { RankChoice, ShownRanks } from '../series/chart-list.ts';
import type { Grid } from './ChartGrid.tsx';
import type { ChartView } from './use-chart-view.ts';

export interface RunScalarsProps {
  readonly run: RunRecord;
  readonly scalars: readonly RunScalar[];
  readonly view: ChartView;
  readonly grid: Grid;
  readonly ranks: readonly RankChoice[];
  readonly shown: ShownRanks;
  /** The run's colour, for lines that belong to no single rank. */
  readonly own: string;
}

export function RunScalars({ run, scalars, view, grid, ranks, shown, own }: RunScalarsProps) {
  const drawing = useMemo(() => ({ ranks, shown, own }), [ranks, shown, own]);
  const { layout, enlarge, enlarged, region } = grid;
  if (layout.width === 0) return null;
  return (
    <ScalarGroups
      labId={run.labId}
      scalars={scalars}
      drawing={drawing}
      choice={view.choice}
      shared={{
        runId: run.id,
        start: run.startedAt ?? run.createdAt,
        log: view.log,
        smoothing: view.smoothed ? view.strength : 0,
        hidden: view.hidden,
        onToggle: view.toggle,
        zooms: view.zooms,
        onZoom: view.setZoom,
        width: layout.width,
        height: layout.height,
        points: layout.points,
        onEnlarge: enlarge,
      }}
      columns={layout.columns}
      enlarged={enlarged}
      region={region}
    />
  );
}
