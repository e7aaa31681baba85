/** The chart of one scalar, with a feed of its own: a run may have a thousand, and only visible ones are loaded. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import { useLanguage } from '../../state/index.ts';
import { ChartCard } from '../card/ChartCard.tsx';
import { sharedRange } from '../plot/drawing.ts';
import { makeScalarAxis, type FeedAxis, type Range, type Zooms } from '../scale/axis.ts';
import type { ChartId, ChartSpec, ScalarId } from '../series/chart-list.ts';
import { wholeLines } from '../series/whole-lines.ts';
import { useApi } from '../../api/index.ts';
import { useFeed } from '../series/use-feed.ts';
import { useTracks } from '../series/use-tracks.ts';

/** What all scalar cards of a panel share. */
export interface ScalarShared {
  readonly runId: string;
  /** Unix seconds that time is counted from. */
  readonly start: number;
  readonly log: boolean;
  readonly smoothing: number;
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
  readonly zooms: Zooms;
  readonly onZoom: (x: FeedAxis, range: Range | undefined) => void;
  readonly width: number;
  readonly height: number;
  readonly points: number;
  readonly onEnlarge: (id: ChartId | ScalarId) => void;
  readonly onPin: (id: ChartId | ScalarId) => void;
}

export interface ScalarCardProps {
  readonly shared: ScalarShared;
  readonly spec: ChartSpec;
  readonly x: FeedAxis;
  readonly pinned: boolean;
  readonly enlarged: boolean;
}

const noSeams: readonly number[] = [];

export function ScalarCard({ shared, spec, x, pinned, enlarged }: ScalarCardProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const api = useApi();
  const { runId, start, points } = shared;
  const axis = useMemo(() => makeScalarAxis(x, start), [x, start]);
  const keys = useMemo(() => spec.lines.flatMap((line) => line.bandOf ?? [line.key]), [spec]);
  const specs = useMemo(() => [spec], [spec]);
  const zoom = shared.zooms[x];
  const feed = useFeed({ runId, keys, x, range: zoom, maxPoints: points });
  const { tracks, bands } = useTracks(specs, feed, points);
  const error = feed?.state.error;
  return (
    <ChartCard
      spec={spec}
      trackOf={tracks}
      bandOf={bands}
      whole={(lines) => wholeLines(api, { runId, x, range: zoom }, lines)}
      axis={axis}
      range={zoom ?? sharedRange(keys.map((key) => feed?.track(key)))}
      seams={noSeams}
      log={shared.log}
      smoothing={shared.smoothing}
      hidden={shared.hidden}
      onToggle={shared.onToggle}
      onZoom={(range) => shared.onZoom(x, range)}
      width={shared.width}
      height={shared.height}
      language={language}
      loading={feed === undefined || feed.state.phase === 'loading'}
      empty={error === undefined ? t('runs.chart.none') : describeError(toWireError(error), language).message}
      enlarged={enlarged}
      onEnlarge={shared.onEnlarge}
      pinned={pinned}
      onPinCard={shared.onPin}
    />
  );
}
