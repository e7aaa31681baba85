// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyLab, type Experiment } from '../../shared/lab/lab.ts';
import { startI18n } from '../i18n/index.ts';
import { furnishBrowser } from '../shell/window.fixture.tsx';
import { mantineTheme } from '../theme/index.ts';
import { LinkUseFields } from './RankFields.tsx';

beforeEach(async () => {
  furnishBrowser();
  await startI18n('en');
});
afterEach(cleanup);

const { experiment } = emptyLab('lab', 'Lab');
const upload = { type: 'upload', path: '/pets' } as const;

it.each<[boolean, string, Partial<Experiment>]>([
  [true, 'images of this computer', { encrypt: true, data: upload }],
  [false, 'images of this computer without encryption', { data: upload }],
  [false, 'images that are on the nodes', { encrypt: true, data: { type: 'folder', path: '/pets' } }],
  [
    false,
    'an own script, which reads its own data',
    {
      encrypt: true,
      data: upload,
      script: { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: '' },
    },
  ],
])('encryption says that nodes pass no images on: %s for %s', (says, _, change) => {
  render(
    <MantineProvider theme={mantineTheme}>
      <LinkUseFields experiment={{ ...experiment, ...change }} set={() => undefined} />
    </MantineProvider>,
  );
  expect(screen.queryAllByText(/nodes do not pass them on/)).toHaveLength(says ? 1 : 0);
});
