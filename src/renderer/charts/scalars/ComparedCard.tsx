/** The chart of one scalar of several runs, with feeds of its own. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import { useApi } from '../../api/index.ts';
import { wholeRuns } from '../series/whole-lines.ts';
import { useLanguage } from '../../state/index.ts';
import { ChartCard } from '../card/ChartCard.tsx';
import { sharedRange } from '../plot/drawing.ts';
import { makeScalarAxis, type AxisChoice } from '../scale/axis.ts';
import type { ComparedLine } from '../series/compare-list.ts';
import { comparedAxis, comparedSpec, scalarTracks, type ComparedScalar } from '../series/compared-scalars.ts';
import { useLineTracks } from '../series/use-line-tracks.ts';
import { useRunSet } from '../series/use-run-set.ts';
import type { ScalarShared } from './ScalarCard.tsx';

/** What the cards of a comparison share: each run's time is counted from its own start. */
type ComparedShared = Omit<ScalarShared, 'runId' | 'start'>;

export interface ComparedCardProps {
  readonly scalar: ComparedScalar;
  readonly lines: readonly ComparedLine[];
  readonly choice: AxisChoice;
  readonly shared: ComparedShared;
  readonly pinned: boolean;
  readonly enlarged: boolean;
}

const noSeams: readonly number[] = [];

export function ComparedCard({ scalar, lines, choice, shared, pinned, enlarged }: ComparedCardProps) {
  const api = useApi();
  const { t } = useTranslation();
  const language = useLanguage();
  const { points } = shared;
  const runs = useMemo(() => lines.flatMap((line) => line.runs), [lines]);
  const x = comparedAxis(scalar, runs, choice);
  const axis = useMemo(() => makeScalarAxis(x, 0), [x]);
  const spec = useMemo(() => comparedSpec(scalar, lines), [scalar, lines]);
  const tracks = useMemo(() => scalarTracks(scalar, runs, x), [scalar, runs, x]);
  const zoom = shared.zooms[x];
  const set = useRunSet({ runs: tracks, range: zoom, maxPoints: points });
  const { trackOf, bandOf } = useLineTracks(set, lines, [spec.id], points);
  return (
    <ChartCard
      spec={spec}
      trackOf={trackOf}
      bandOf={bandOf}
      whole={(asked) => wholeRuns(api, tracks, zoom, asked)}
      axis={axis}
      range={zoom ?? sharedRange(spec.lines.map((line) => trackOf(line.name)))}
      seams={noSeams}
      log={shared.log}
      smoothing={shared.smoothing}
      hidden={shared.hidden}
      onToggle={shared.onToggle}
      onZoom={(range) => shared.onZoom(x, range)}
      width={shared.width}
      height={shared.height}
      language={language}
      loading={set.loading}
      empty={
        set.error === undefined
          ? t('runs.chart.none')
          : describeError(toWireError(set.error), language).message
      }
      enlarged={enlarged}
      onEnlarge={shared.onEnlarge}
      pinned={pinned}
      onPinCard={shared.onPin}
    />
  );
}
