// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { standIn } from '../../api/client.fixture.ts';
import { startI18n } from '../../i18n/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { putRun } from '../../state/index.ts';
import { SweepDialog } from './SweepDialog.tsx';

beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
});
afterEach(cleanup);

it('runs that are queued are not reported as failed where one of them cannot be read', async () => {
  putRun(runRecord('r', { labId: 'lab', state: 'finished' }));
  const { client } = standIn({
    'run.queue': () => ({ runIds: ['a', 'b'] }),
    'run.get': () => {
      throw new RinglabError('connection_lost', { host: 'Ringlab' });
    },
  });
  let isClosed = false;
  render(
    <MantineProvider>
      <ApiProvider value={client}>
        <SweepDialog from={{ runId: 'r' }} onClose={() => (isClosed = true)} />
      </ApiProvider>
    </MantineProvider>,
  );
  fireEvent.change(await screen.findByLabelText('Values, separated by spaces'), {
    target: { value: '0.1 0.2' },
  });
  fireEvent.click(screen.getByRole('button', { name: 'Queue 2 runs' }));
  await expect.poll(() => isClosed).toBe(true);
});
