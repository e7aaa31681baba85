// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startI18n } from '../../i18n/index.ts';
import { HistogramStrip } from './HistogramStrip.tsx';

beforeEach(async () => {
  await startI18n('en');
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('a histogram far into a run says between which steps it is', () => {
  const histograms = [20_000_000, 20_000_299].map((step, seq) => ({
    ...{ rank: 0, seq, t: seq, step, name: 'weights', low: -1, high: 1, counts: [1, 2, 1] },
  }));
  render(<HistogramStrip name="weights" rank={0} histograms={histograms} />);
  expect(screen.getByText('step 20,000,000')).toBeTruthy();
  expect(screen.getByText('20,000,299')).toBeTruthy();
});
