// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { standIn } from '../../api/client.fixture.ts';
import { startI18n } from '../../i18n/index.ts';
import { putRun, useRunsView, useRunStore } from '../../state/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { RunTable } from './RunTable.tsx';

beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  useRunStore.setState(useRunStore.getInitialState());
  useRunsView.setState(useRunsView.getInitialState());
});

const names = (): string[] =>
  [...document.querySelectorAll('tbody tr[data-run]')].map((row) => row.getAttribute('data-run') ?? '');
const show = (labId: string) =>
  render(
    <MantineProvider>
      <ApiProvider value={standIn({}).client}>
        <RunTable labId={labId} onSelectRun={() => undefined} />
      </ApiProvider>
    </MantineProvider>,
  );
const search = (): HTMLInputElement => screen.getByLabelText<HTMLInputElement>('Filter runs');
const nameHead = (): Element | null => document.querySelector('th[data-column=name]');

it('the search and the order are still there when the user comes back from a run, and are the lab’s own', () => {
  for (const name of ['b', 'a', 'other'])
    putRun(runRecord(name, { labId: 'lab', name: `run ${name}`, state: 'finished' }));
  const opened = show('lab');
  fireEvent.change(search(), { target: { value: 'run' } });
  fireEvent.click(screen.getByText('Name'));
  expect(nameHead()?.getAttribute('aria-sort')).toBe('ascending');
  opened.unmount();
  const again = show('lab');
  expect(search().value).toBe('run');
  expect(nameHead()?.getAttribute('aria-sort')).toBe('ascending');
  again.unmount();
  show('other lab');
  expect(search().value).toBe('');
});

it('options of scripts are ordered by value, with however many digits they were drawn, and absent ones are last', () => {
  const { lab } = runRecord('r');
  for (const lr of ['0.1', '', '0.0047619047619047619', '0.005', 'auto'])
    putRun(
      runRecord(`lr ${lr}`, {
        labId: 'drawn',
        state: 'finished',
        lab: {
          ...lab,
          experiment: {
            ...lab.experiment,
            script: {
              source: { type: 'folder', path: '/c' },
              file: 'train.py',
              arguments: lr && `--lr ${lr}`,
            },
          },
        },
      }),
    );
  show('drawn');
  const click = (): void => {
    fireEvent.click(screen.getByText('--lr'));
  };
  click();
  expect(names()).toEqual(['lr 0.0047619047619047619', 'lr 0.005', 'lr 0.1', 'lr auto', 'lr ']);
  click();
  expect(names()).toEqual(['lr auto', 'lr 0.1', 'lr 0.005', 'lr 0.0047619047619047619', 'lr ']);
});

it('a brush that no run passes through leaves no line strong', () => {
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1200);
  for (const bestTop1 of [50, 75, 100])
    putRun(runRecord(`r${bestTop1}`, { labId: 'brushed', state: 'finished', bestTop1 }));
  useRunsView.setState({ parallel: true });
  show('brushed');
  const lines = (isStrong: boolean): number =>
    document.querySelectorAll(`path[data-run][data-strong="${isStrong}"]`).length;
  expect(lines(true)).toBe(3);
  const axis = screen.getByLabelText(/^Range of Best top-1/);
  for (let by = 0; by < 12; by += 1) fireEvent.keyDown(axis, { key: 'ArrowDown', shiftKey: true });
  expect([lines(true), lines(false)]).toEqual([1, 2]);
  fireEvent.keyDown(axis, { key: 'ArrowUp' });
  expect([lines(true), lines(false)]).toEqual([0, 3]);
  fireEvent.keyDown(axis, { key: 'Escape' });
  expect(lines(true)).toBe(3);
});

it('Shift and a click mark all rows from the one that was clicked before, or take their marks away', () => {
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    putRun(runRecord(name, { labId: 'marks', name, state: 'finished' }));
  show('marks');
  const click = (name: string, shiftKey: boolean): void => {
    fireEvent.click(screen.getByLabelText(`Select ${name}`), { shiftKey });
  };
  const order = names();
  const [first = '', , third = '', fourth = ''] = order;
  const marked = (): readonly string[] => useRunsView.getState().marked.toSorted();
  click(fourth, false);
  click(first, true);
  expect(marked()).toEqual(order.slice(0, 4).toSorted());
  click(third, true);
  expect(marked()).toEqual([fourth]);
  click(fourth, false);
  expect(marked()).toEqual([]);
});

it('Escape in the search takes what was typed; only the next one reaches the view around it', () => {
  putRun(runRecord('a', { labId: 'escape', state: 'finished' }));
  show('escape');
  const reached = vi.fn();
  document.body.addEventListener('keydown', reached);
  try {
    fireEvent.change(search(), { target: { value: 'lr' } });
    // An input method takes this one.
    fireEvent.keyDown(search(), { key: 'Escape', isComposing: true });
    expect([search().value, reached.mock.calls.length]).toEqual(['lr', 0]);
    fireEvent.keyDown(search(), { key: 'Escape' });
    expect([search().value, reached.mock.calls.length]).toEqual(['', 0]);
    fireEvent.keyDown(search(), { key: 'Escape' });
    expect(reached).toHaveBeenCalledOnce();
  } finally {
    document.body.removeEventListener('keydown', reached);
  }
});

it('the box of all rows leaves the marks of runs that the search hides', () => {
  for (const name of ['a', 'b', 'other'])
    putRun(runRecord(name, { labId: 'hidden', name: `run ${name}`, state: 'finished' }));
  show('hidden');
  const marked = (): readonly string[] => useRunsView.getState().marked.toSorted();
  fireEvent.click(screen.getByLabelText('Select run other'));
  fireEvent.change(search(), { target: { value: 'a' } });
  const listed = names();
  expect(listed).not.toContain('other');
  const all = screen.getByLabelText('Select all listed runs');
  fireEvent.click(all);
  expect(marked()).toEqual([...listed, 'other'].toSorted());
  fireEvent.click(all);
  expect(marked()).toEqual(['other']);
});
