/** The settings that all charts of a panel share: axis, scale, smoothing, hidden lines, zoom. */
import { useCallback, useState } from 'react';
import type { AxisChoice } from '../scale/axis.ts';

interface Range {
  readonly from: number;
  readonly to: number;
}

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
  /** The visible part of the axis, in shown units; undefined: all of it. */
  readonly zoom: Range | undefined;
  readonly setZoom: (zoom: Range | undefined) => void;
  /** Names of lines. */
  readonly hidden: ReadonlySet<string>;
  readonly toggle: (name: string) => void;
}

const alone = (name: string): readonly string[] => [name];

/** @param together the lines that are hidden and shown with this one, itself included */
export function useChartView(together: (name: string) => readonly string[] = alone): ChartView {
  const [choice, setChoice] = useState<AxisChoice>('epoch');
  const [log, setLog] = useState(false);
  const [smoothed, setSmoothed] = useState(true);
  const [strength, setStrength] = useState(0.6);
  const [zoom, setZoom] = useState<Range>();
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
    zoom,
    setZoom,
    hidden,
    toggle,
  };
}
