// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DataSource } from '../../shared/lab/lab.ts';
import { standIn } from '../api/client.fixture.ts';
import { ApiProvider } from '../api/index.ts';
import { startI18n } from '../i18n/index.ts';
import { furnishBrowser } from '../shell/window.fixture.tsx';
import { mantineTheme } from '../theme/index.ts';
import { DataFields } from './DataFields.tsx';

beforeEach(async () => {
  furnishBrowser();
  await startI18n('en');
});
afterEach(cleanup);

/** Returns the paths of which the folders were asked for. */
function show(initial: DataSource): string[] {
  const asked: string[] = [];
  const { client } = standIn({
    'folder.list': ({ path }) => {
      asked.push(path);
      return { folders: ['cats', 'dogs'], more: false };
    },
  });
  function Fields() {
    const [data, setData] = useState(initial);
    return <DataFields data={data} set={({ data: next }) => next && setData(next)} issue={() => undefined} />;
  }
  render(
    <MantineProvider theme={mantineTheme}>
      <ApiProvider value={client}>
        <Fields />
      </ApiProvider>
    </MantineProvider>,
  );
  return asked;
}

const type = (text: string): void => {
  const field = screen.getByLabelText('Folder path', { selector: 'input' });
  fireEvent.focus(field);
  fireEvent.change(field, { target: { value: text } });
};

it('a folder of this computer is completed while it is typed', async () => {
  show({ type: 'upload', path: '' });
  type('/data/');
  expect(await screen.findByText('/data/dogs')).toBeDefined();
});

it('a folder of the nodes is not looked for on this computer', () => {
  const asked = show({ type: 'folder', path: '' });
  type('/data/');
  expect(asked).toEqual([]);
});
