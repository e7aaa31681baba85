/** Several runs in the same charts, a colour a run, or a group of runs as their mean. */
import { useCallback, useMemo, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../../shared/base/error-texts.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import { useLanguage } from '../../state/index.ts';
import { makeAxis, type AxisChoice } from '../scale/axis.ts';
import { pinnedFirst, useCardView } from '../card/card-view.ts';
import type { ChartId } from '../series/chart-list.ts';
import { ChartCard } from '../card/ChartCard.tsx';
import { AxisPicker, CardLook, ToolSwitch } from '../card/ChartTools.tsx';
import classes from './charts.module.css';
import { compareList, type ComparedLine } from '../series/compare-list.ts';
import { sharedRange } from '../plot/drawing.ts';
import { layOut } from '../card/layout.ts';
import { useLineTracks } from '../series/use-line-tracks.ts';
import { useRunSet } from '../series/use-run-set.ts';
import { useSize } from '../../ui/index.ts';

const smoothing = 0.6;
const noSeams: readonly number[] = [];

export interface CompareChartsProps {
  readonly lines: readonly ComparedLine[];
  /** What else stands in the toolbar. */
  readonly tools?: ReactNode;
}

export function CompareCharts({ lines, tools }: CompareChartsProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const [choice, setChoice] = useState<AxisChoice>('epoch');
  const [log, setLog] = useState(false);
  const [smoothed, setSmoothed] = useState(true);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [enlarged, setEnlarged] = useState<ChartId>();
  const enlarge = useCallback((id: ChartId) => setEnlarged((now) => (now === id ? undefined : id)), []);
  const [zoom, setZoom] = useState<{ from: number; to: number }>();
  const specs = useMemo(() => compareList(lines), [lines]);
  const runs = useMemo(() => lines.flatMap((line) => line.runs), [lines]);
  // The runs' own places are laid on the axis before they are drawn: it begins at 0 and counts as it is shown.
  const axis = useMemo(() => {
    const shown = makeAxis(choice === 'epoch' ? 'step' : choice, undefined, 0);
    const say = (value: number): string => String(Number(value.toPrecision(4)));
    return choice === 'epoch' ? { ...shown, choice, label: say, say } : shown;
  }, [choice]);
  const grid = useRef<HTMLDivElement>(null);
  const size = useSize(grid);
  const { size: cardSize, pinned } = useCardView();
  const layout = layOut({ width: size.width, height: 330 }, cardSize, enlarged !== undefined);
  const set = useRunSet({ runs, choice, range: zoom, maxPoints: layout.points });
  const { trackOf, bandOf } = useLineTracks(set, lines, layout.points);
  const range = zoom ?? sharedRange(specs.flatMap((spec) => spec.lines.map((line) => trackOf(line.name))));
  const toggle = useCallback(
    (name: string) =>
      setHidden((now) => {
        // A run is hidden in all charts: its id begins each of its lines' names.
        const runId = name.split(' ')[0] ?? '';
        const mine = specs.flatMap((spec) => spec.lines).filter((line) => line.name.startsWith(`${runId} `));
        const next = new Set(now);
        const hide = !now.has(name);
        for (const line of mine) {
          if (hide) next.add(line.name);
          else next.delete(line.name);
        }
        return next;
      }),
    [specs],
  );
  const drawn =
    enlarged === undefined ? pinnedFirst(specs, pinned) : specs.filter((spec) => spec.id === enlarged);
  return (
    <>
      <div className={classes.toolbar} role="toolbar" aria-label={t('runs.chart.toolbar')}>
        <AxisPicker
          choice={choice}
          onChoose={(next) => {
            setChoice(next);
            setZoom(undefined);
          }}
        />
        <ToolSwitch label={t('runs.chart.smoothing')} on={smoothed} onSwitch={setSmoothed} />
        <ToolSwitch label={t('runs.chart.log')} on={log} onSwitch={setLog} />
        {tools}
        <CardLook />
        {set.error !== undefined && (
          <span role="alert">{describeError(toWireError(set.error), language).message}</span>
        )}
      </div>
      <div
        ref={grid}
        className={classes.compareGrid}
        style={{ gridTemplateColumns: `repeat(${layout.columns}, minmax(0, 1fr))` }}
      >
        {layout.width > 0 &&
          drawn.map((spec) => (
            <ChartCard
              key={spec.id}
              spec={spec}
              trackOf={trackOf}
              bandOf={bandOf}
              axis={axis}
              range={range}
              seams={noSeams}
              log={log}
              smoothing={smoothed ? smoothing : 0}
              hidden={hidden}
              onToggle={toggle}
              onZoom={setZoom}
              width={layout.width}
              height={layout.height}
              language={language}
              loading={set.loading}
              empty={t('runs.chart.none')}
              enlarged={enlarged === spec.id}
              onEnlarge={enlarge}
            />
          ))}
      </div>
    </>
  );
}
