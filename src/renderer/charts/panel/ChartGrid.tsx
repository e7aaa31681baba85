/** Lays charts out side by side: how many fit, which one is enlarged, and what all of them share. */
import { useCallback, useRef, useState, type RefObject } from 'react';
import { useLanguage } from '../../state/index.ts';
import { useSize } from '../../ui/index.ts';
import { pinCard, pinnedFirst, useCardView } from '../card/card-view.ts';
import { ChartCard, type ChartCardProps } from '../card/ChartCard.tsx';
import { layOut, type Layout } from '../card/layout.ts';
import type { ChartId, ChartSpec, ScalarId } from '../series/chart-list.ts';
import type { ChartView } from './use-chart-view.ts';

export interface Grid {
  /** The element whose width the cards fill; it may scroll. */
  readonly region: RefObject<HTMLDivElement | null>;
  readonly layout: Layout;
  readonly enlarged: ChartId | ScalarId | undefined;
  readonly enlarge: (id: ChartId | ScalarId) => void;
}

/**
 * @param drawn ids of all charts: where the enlarged one is gone, all are shown, as its button is gone, too
 * @param height of the grid in pixels, if it grows with its content; otherwise it is measured
 */
export function useGrid(drawn: ReadonlySet<string>, height?: number): Grid {
  const region = useRef<HTMLDivElement>(null);
  const size = useSize(region);
  const cardSize = useCardView((view) => view.size);
  const [chosen, setChosen] = useState<ChartId | ScalarId>();
  const enlarged = chosen !== undefined && drawn.has(chosen) ? chosen : undefined;
  const enlarge = useCallback(
    (id: ChartId | ScalarId) => setChosen((now) => (now === id ? undefined : id)),
    [],
  );
  const layout = layOut(
    { width: size.width, height: height ?? size.height },
    cardSize,
    enlarged !== undefined,
  );
  return { region, layout, enlarged, enlarge };
}

export interface ChartGridProps {
  readonly grid: Grid;
  readonly className: string | undefined;
  readonly specs: readonly ChartSpec[];
  readonly view: ChartView;
  /** Further properties that all charts share. */
  readonly common: Pick<
    ChartCardProps,
    'trackOf' | 'bandOf' | 'whole' | 'axis' | 'range' | 'seams' | 'loading' | 'empty' | 'marks'
  >;
  /** For one chart, if charts can have pins. */
  readonly pinsOf?: (id: ChartSpec['id']) => Pick<ChartCardProps, 'pins' | 'onNewPin' | 'onPin'>;
}

export function ChartGrid({ grid, className, specs, view, common, pinsOf }: ChartGridProps) {
  const language = useLanguage();
  const pinned = useCardView((view) => view.pinned);
  const { layout, enlarged, enlarge } = grid;
  const shown =
    enlarged === undefined ? pinnedFirst(specs, pinned) : specs.filter((spec) => spec.id === enlarged);
  return (
    <div className={className} style={{ gridTemplateColumns: `repeat(${layout.columns}, minmax(0, 1fr))` }}>
      {layout.width > 0 &&
        shown.map((spec) => (
          <ChartCard
            key={spec.id}
            {...common}
            log={view.log}
            smoothing={view.smoothed ? view.strength : 0}
            hidden={view.hidden}
            onToggle={view.toggle}
            onZoom={(range) => view.setZoom(common.axis.x, range)}
            {...pinsOf?.(spec.id)}
            spec={spec}
            width={layout.width}
            height={layout.height}
            language={language}
            pinned={pinned.some((id) => id === spec.id)}
            onPinCard={pinCard}
            enlarged={enlarged === spec.id}
            onEnlarge={enlarge}
          />
        ))}
    </div>
  );
}
