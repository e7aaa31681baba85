// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { createRef } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Delivery, RequestArgs } from '../../../shared/contract/api.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { ApiProvider } from '../../api/index.ts';
import { standIn } from '../../api/client.fixture.ts';
import { startI18n } from '../../i18n/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { useWindowStore } from '../../state/index.ts';
import { makeAxis } from '../scale/axis.ts';
import { ChartExport } from './ChartExport.tsx';
import { exportableCharts } from './exportable.ts';

beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
  useWindowStore.setState({ problems: [] });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const lines = [{ name: 'Rank 0', track: { x: [0, 1], y: [2.5, 1.5], version: 1 } }];

/** @param deliver main's answer to a file that it is to deliver */
function shown(deliver: (file: RequestArgs<'file.save'>) => Delivery, title = 'Loss: by step') {
  const files: RequestArgs<'file.save'>[] = [];
  const { client } = standIn({
    'file.save': (file) => {
      files.push(file);
      return deliver(file);
    },
  });
  // What a browser downloads by itself; a desktop window cannot.
  const downloaded: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    downloaded.push(`${this.getAttribute('href')} ${this.download}`);
  });
  render(
    <MantineProvider>
      <Notifications />
      <ApiProvider value={client}>
        <ChartExport
          figure={createRef()}
          title={title}
          lines={() => Promise.resolve(lines)}
          axis={makeAxis('step', undefined, 0)}
        />
      </ApiProvider>
    </MantineProvider>,
  );
  return { files, downloaded };
}

it('a chart is saved as exports are, and where is said: a desktop window cannot download', async () => {
  const { files, downloaded } = shown(({ name }) => ({ name, bytes: 30, savedTo: `/home/u/${name}` }));
  fireEvent.click(screen.getByRole('button', { name: 'Export Loss: by step' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Points (CSV)', hidden: true }));
  await waitFor(() => expect(screen.getByText('/home/u/Loss-by-step.csv')).toBeTruthy());
  expect(files.map(({ base64 }) => atob(base64))).toEqual(['step,Rank 0\r\n0,2.5\r\n1,1.5\r\n']);
  expect(downloaded).toEqual([]);
});

it('so is one by the command palette; a browser downloads it from the host', async () => {
  const { downloaded } = shown(({ name }) => ({ name, bytes: 30, url: '/download/1' }));
  exportableCharts()[0]?.save('csv');
  await waitFor(() => expect(downloaded).toEqual(['/download/1 Loss-by-step.csv']));
});

it('a chart that cannot be saved says why, and one whose dialog is closed says nothing', async () => {
  const errors = [
    new RinglabError('cancelled'),
    new RinglabError('file_unwritable', { path: '/x', reason: 'EIO' }),
  ];
  const { files } = shown(() => {
    throw errors.shift() ?? new Error('one too many');
  }, 'x'.repeat(300));
  exportableCharts()[0]?.save('csv');
  await waitFor(() => expect(files).toHaveLength(1));
  exportableCharts()[0]?.save('csv');
  await waitFor(() => expect(useWindowStore.getState().problems).toHaveLength(1));
  expect(useWindowStore.getState().problems[0]?.error.code).toBe('file_unwritable');
});
