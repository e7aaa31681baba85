// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { makeAxis } from '../scale/axis.ts';
import { chartList } from '../series/chart-list.ts';
import { ChartPlot } from './ChartPlot.tsx';
import { draw } from './drawing.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('marks a place once where two attempts went on from it, and moves the mark where the range changes', () => {
  const warned = vi.spyOn(console, 'error').mockReturnValue(undefined);
  const [spec] = chartList([{ rank: 0, nodeName: 'n', colour: '#123456', dash: undefined }], 'all');
  if (spec === undefined) throw new Error('no chart');
  const axis = makeAxis('step', undefined, 0);
  const options = { axis, log: false, smoothing: 0, hidden: new Set<string>(), tickCount: 4 };
  const drawing = draw(spec, () => ({ x: [0, 100], y: [2, 1], version: 1 }), options);
  const plot = (low: number, high: number) => (
    <ChartPlot
      {...{ spec, drawing, axis, low, high, width: 400, height: 200, language: 'en' }}
      seams={[50, 70, 50]}
    />
  );
  const places = (): (string | null)[] =>
    [...document.querySelectorAll('line[stroke="var(--rl-accent)"]')].map((line) => line.getAttribute('x1'));
  const { rerender } = render(plot(0, 100));
  const whole = places();
  expect(whole).toHaveLength(2);
  rerender(plot(40, 60));
  expect(places()).toHaveLength(1);
  rerender(plot(0, 100));
  expect(places()).toEqual(whole);
  expect(warned).not.toHaveBeenCalled();
});
