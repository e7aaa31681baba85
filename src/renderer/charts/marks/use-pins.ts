/** The points that a user pinned in a run's charts: stored with the run, so that every window shows them. */
import { useCallback, useMemo } from 'react';
import { maxPins, type RunPin, type RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { asRinglabError, putRun, report } from '../../state/index.ts';
import type { Timeline } from '../../../shared/metrics/timeline.ts';
import { markX, pinnedAt } from './marks.ts';

const noPins: readonly RunPin[] = [];

export interface Pins {
  of(chart: string): readonly { readonly x: number; readonly pin: RunPin }[];
  add(chart: string, x: number): string;
  change(pin: RunPin, note: string | undefined): void;
}

export function usePins(run: Pick<RunRecord, 'id' | 'pins'>, x: 'step' | 't', timeline: Timeline): Pins {
  const api = useApi();
  const pins = run.pins ?? noPins;
  const runId = run.id;
  const save = useCallback(
    (next: readonly RunPin[]) => {
      api
        .call('run.annotate', { runId, pins: [...next].slice(-maxPins) })
        .then(putRun, (error: unknown) => report(asRinglabError(error)));
    },
    [api, runId],
  );
  return useMemo(
    () => ({
      of: (chart) =>
        pins.flatMap((pin) => {
          const at = pin.chart === chart ? markX(pin, x, timeline) : undefined;
          return at === undefined ? [] : [{ x: at, pin }];
        }),
      add(chart, at) {
        const id = `pin-${Date.now().toString(36)}-${pins.length}`;
        save([...pins, { id, chart, note: '', ...pinnedAt(x, at) }]);
        return id;
      },
      change: (pin, note) =>
        save(
          note === undefined
            ? pins.filter((one) => one.id !== pin.id)
            : pins.map((one) => (one.id === pin.id ? { ...one, note } : one)),
        ),
    }),
    [pins, x, timeline, save],
  );
}
