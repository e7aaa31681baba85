/** The settings that all charts of a panel share: axis, scale, smoothing, hidden lines, zoom. Kept while the window is open. */
import { useCallback } from 'react';
import { keptState } from '../../ui/index.ts';
import type { Layout } from '../card/layout.ts';
import type { AxisChoice, FeedAxis, Range, Zooms } from '../scale/axis.ts';

export interface ChartView {
  readonly choice: AxisChoice;
  readonly setChoice: (choice: AxisChoice) => void;
  readonly log: boolean;
  readonly setLog: (on: boolean) => void;
  readonly smoothed: boolean;
  readonly setSmoothed: (on: boolean) => void;
  /** From 0 to 1, kept while smoothing is switched off. */
  readonly strength: number;
  readonly setStrength: (strength: number) => void;
  /** Charts along one axis share its zoom. */
  readonly zooms: Zooms;
  readonly setZoom: (x: FeedAxis, zoom: Range | undefined) => void;
  readonly resetZoom: () => void;
  /** Names of lines. */
  readonly hidden: ReadonlySet<string>;
  readonly toggle: (name: string) => void;
}

/** A view and a layout as the cards of scalars have them. */
export const sharedByCards = (view: ChartView, { width, height, points }: Layout) => ({
  log: view.log,
  smoothing: view.smoothed ? view.strength : 0,
  hidden: view.hidden,
  onToggle: view.toggle,
  zooms: view.zooms,
  onZoom: view.setZoom,
  width,
  height,
  points,
});

const alone = (name: string): readonly string[] => [name];

const useChoice = keptState<AxisChoice>();
const useSwitch = keptState<boolean>();
const useStrength = keptState<number>();
const useZooms = keptState<Zooms>();
const useHidden = keptState<ReadonlySet<string>>();
const noZooms: Zooms = {};
const noneHidden: ReadonlySet<string> = new Set();

/**
 * @param of what is drawn, a run or a comparison: zoom and hidden lines are its own, the rest is of all panels
 * @param first the axis that is chosen at first
 * @param together the lines that are hidden and shown with this one, itself included
 * @param zoomOf what the zoom belongs to, where the same is drawn by other lines
 */
export function useChartView(
  of: string,
  first: AxisChoice,
  together: (name: string) => readonly string[] = alone,
  zoomOf: string = of,
): ChartView {
  // Scripts and the trainer begin with different axes: a choice for one is none for the other.
  const [choice, setChoice] = useChoice(first, first);
  const [log, setLog] = useSwitch('log', false);
  const [smoothed, setSmoothed] = useSwitch('smoothed', true);
  const [strength, setStrength] = useStrength('smoothing', 0.6);
  const [zooms, setZooms] = useZooms(zoomOf, noZooms);
  const setZoom = useCallback(
    (x: FeedAxis, zoom: Range | undefined) => {
      setZooms((now) => ({ ...now, [x]: zoom }));
    },
    [setZooms],
  );
  const resetZoom = useCallback(() => setZooms(() => noZooms), [setZooms]);
  const [hidden, setHidden] = useHidden(of, noneHidden);
  const toggle = useCallback(
    (name: string) =>
      setHidden((now) => {
        const next = new Set(now);
        for (const one of together(name)) {
          if (now.has(name)) next.delete(one);
          else next.add(one);
        }
        return next;
      }),
    [together, setHidden],
  );
  return {
    choice,
    setChoice: (next) => setChoice(() => next),
    log,
    setLog: (on) => setLog(() => on),
    smoothed,
    setSmoothed: (on) => setSmoothed(() => on),
    strength,
    setStrength: (next) => setStrength(() => next),
    zooms,
    setZoom,
    resetZoom,
    hidden,
    toggle,
  };
}
