// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startI18n } from '../../i18n/index.ts';
import { hoverAt, leaveHover } from '../plot/hover.ts';
import type { FeedAxis } from '../scale/axis.ts';
import type { ChartSpec } from '../series/chart-list.ts';
import { ChartLegend } from './ChartLegend.tsx';

const spec: ChartSpec = {
  id: 'loss',
  unit: 'plain',
  log: true,
  smoothable: true,
  lines: ['first', 'other'].map((name) => ({
    key: { source: 'rank-0', kind: 'step', field: 'loss' },
    name,
    meaning: { of: 'run', name },
    colour: '#000',
    sparse: false,
  })),
};
const show = (along: FeedAxis, x: number[]): void => {
  const track = { x, y: [7, 8, 9], version: 1 };
  const none = new Set<string>();
  render(
    <section aria-label={along}>
      <ChartLegend
        spec={spec}
        trackOf={(name) => (name === 'first' ? track : undefined)}
        along={along}
        hidden={none}
        onToggle={() => undefined}
        language="en"
      />
    </section>,
  );
};
const shown = (along: FeedAxis): string =>
  screen.getByRole('region', { name: along }).textContent.replace('first', '');

beforeEach(() => startI18n('en'));
afterEach(() => {
  cleanup();
  leaveHover();
});

describe('the legends of charts with different axes', () => {
  it('have the values at the pointer only where x means the same', () => {
    show('step', [0, 500, 1000]);
    show('epoch', [0, 1, 2]);
    show('t', [1.7e9, 1.7e9 + 60, 1.7e9 + 120]);
    const all = (['step', 'epoch', 't'] as const).map((along) => () => shown(along));
    const texts = (): string[] => all.map((one) => one());
    expect(texts()).toEqual(['9', '9', '9']);
    act(() => hoverAt('step', 490));
    expect(texts()).toEqual(['8', '9', '9']);
    act(() => hoverAt('epoch', 1));
    expect(texts()).toEqual(['9', '8', '9']);
    act(() => hoverAt('t', 1.7e9));
    expect(texts()).toEqual(['9', '9', '7']);
    act(() => leaveHover());
    expect(texts()).toEqual(['9', '9', '9']);
  });
});
