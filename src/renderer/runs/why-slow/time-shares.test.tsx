// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RankProfile } from '../../../shared/run/rank-profile.ts';
import { startI18n } from '../../i18n/index.ts';
import { TimeShares } from './TimeShares.tsx';

const place = { file: 'train.py', line: 12, function: 'evaluate', text: 'score(model)' } as const;
const profiles: RankProfile[] = [
  {
    rank: 0,
    t: 1,
    seconds: 30,
    samples: 300,
    shares: { backward: 0.25, exchange: 0.75 },
    places: [{ ...place, text: 'loss.backward()', share: 1, part: 'exchange' }],
  },
  {
    rank: 1,
    t: 1,
    seconds: 30,
    samples: 300,
    shares: { other: 1 },
    places: [{ ...place, share: 1, part: 'other' }],
  },
];

beforeEach(async () => {
  await startI18n('en');
});
afterEach(cleanup);

describe('what the time of ranks goes into', () => {
  it('is a bar for each rank, in words, too, and the lines of the rank that is chosen', () => {
    render(<TimeShares profiles={profiles} nameOf={(rank) => `Rank ${rank} (N${rank + 1})`} />);
    const first = screen.getByRole('button', {
      name: 'Rank 0 (N1): waiting for other ranks 75.0 %, backward 25.0 %',
    });
    expect(first.getAttribute('aria-pressed')).toBe('true');
    const widths = [...first.querySelectorAll<HTMLElement>('[data-part]')].map(
      ({ dataset, style }) => `${dataset.part} ${style.width}`,
    );
    expect(widths).toEqual(['backward 25%', 'exchange 75%']);
    expect(within(screen.getByRole('table')).getByText(/loss\.backward\(\)/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: /^Rank 1/ }));
    const table = screen.getByRole('table', { name: 'Lines of Rank 1 (N2) that take the most time' });
    expect(within(table).getByText('train.py:12 evaluate: score(model)')).toBeTruthy();
    expect(within(table).queryByText(/loss\.backward/)).toBeNull();
  });
});
