/** The scalars of one run, below the trainer's charts or alone, with the panel's settings. */
import { useMemo } from 'react';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { RunScalar } from '../../../shared/run/run-outputs.ts';
import { ScalarCard, type ScalarCardProps, type ScalarShared } from '../scalars/ScalarCard.tsx';
import { ScalarGroups } from '../scalars/ScalarGroups.tsx';
import type { RankChoice, ShownRanks } from '../series/chart-list.ts';
import { scalarAxis, scalarSpec, type ScalarDrawing } from '../series/scalar-list.ts';
import type { Grid } from './ChartGrid.tsx';
import { sharedByCards, type ChartView } from './use-chart-view.ts';

export interface RunScalarsProps {
  readonly run: RunRecord;
  /** Those that the shown ranks have. */
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
  const shared: Omit<ScalarShared, 'onPin'> = {
    ...sharedByCards(view, layout),
    runId: run.id,
    start: run.startedAt ?? run.createdAt,
    onEnlarge: enlarge,
  };
  return (
    <ScalarGroups
      labId={run.labId}
      scalars={scalars}
      card={(scalar, { onPin, ...place }) => (
        <OneCard
          scalar={scalar}
          drawing={drawing}
          x={scalarAxis(scalar, view.choice)}
          shared={{ ...shared, onPin }}
          {...place}
        />
      )}
      columns={layout.columns}
      width={layout.width}
      height={layout.height}
      enlarged={enlarged}
      region={region}
    />
  );
}

interface OneCardProps extends Omit<ScalarCardProps, 'spec'> {
  readonly scalar: RunScalar;
  readonly drawing: ScalarDrawing;
}

function OneCard({ scalar, drawing, ...card }: OneCardProps) {
  const spec = useMemo(() => scalarSpec(scalar, drawing), [scalar, drawing]);
  return spec === undefined ? null : <ScalarCard spec={spec} {...card} />;
}
