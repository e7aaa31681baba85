/** The settings that all charts of a panel share: axis, scale, smoothing, hidden lines, zoom. */
import { useCallback, useState } from 'react';
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

/**
 * @param first the axis that is chosen at first
 * @param together the lines that are hidden and shown with this one, itself included
 */
export function useChartView(
  first: AxisChoice,
  together: (name: string) => readonly string[] = alone,
): ChartView {
  const [choice, setChoice] = useState(first);
  const [log, setLog] = useState(false);
  const [smoothed, setSmoothed] = useState(true);
  const [strength, setStrength] = useState(0.6);
  const [zooms, setZooms] = useState<Zooms>({});
  const setZoom = useCallback((x: FeedAxis, zoom: Range | undefined) => {
    setZooms((now) => ({ ...now, [x]: zoom }));
  }, []);
  const resetZoom = useCallback(() => setZooms({}), []);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
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
    [together],
  );
  return {
    choice,
    setChoice,
    log,
    setLog,
    smoothed,
    setSmoothed,
    strength,
    setStrength,
    zooms,
    setZoom,
    resetZoom,
    hidden,
    toggle,
  };
}
