// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiProvider } from '../../api/index.ts';
import { standIn } from '../../api/client.fixture.ts';
import { startI18n } from '../../i18n/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { makeAxis } from '../scale/axis.ts';
import { ChartCard } from './ChartCard.tsx';

beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
});
afterEach(cleanup);

const none = new Set<string>();
const { client } = standIn({});
const card = (range: { from: number; to: number } | undefined, loading = false) => (
  <MantineProvider>
    <ApiProvider value={client}>
      <ChartCard
        spec={{ id: 'loss', unit: 'plain', log: true, smoothable: true, lines: [] }}
        trackOf={() => undefined}
        axis={makeAxis('step', undefined, 0)}
        range={range}
        seams={[]}
        log={false}
        smoothing={0}
        hidden={none}
        onToggle={() => undefined}
        onZoom={() => undefined}
        width={400}
        height={200}
        language="en"
        loading={loading}
        empty="This run has no such points."
        enlarged={false}
        onEnlarge={() => undefined}
        pinned={false}
        onPinCard={() => undefined}
      />
    </ApiProvider>
  </MantineProvider>
);

it('zoomed to between two points a chart says so, and keeps the cursor that zooms out', () => {
  const { rerender } = render(card({ from: 3.2, to: 3.4 }));
  expect(screen.getByText('No points in this range.')).toBeTruthy();
  expect(screen.getByRole('slider')).toBeTruthy();
  rerender(card(undefined));
  expect(screen.getByText('This run has no such points.')).toBeTruthy();
  expect(screen.queryByRole('slider')).toBeNull();
  rerender(card({ from: 3.2, to: 3.4 }, true));
  expect(screen.queryByText(/points/)).toBeNull();
});
