// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { summaryOf } from '../../../shared/contract/api.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { standIn } from '../../api/client.fixture.ts';
import { startI18n } from '../../i18n/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { TagsDialog } from './TagsDialog.tsx';

const annotated: unknown[] = [];
beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
  annotated.length = 0;
});
afterEach(cleanup);

/** Opens the dialog for a run without tags and one with this many, and types a tag. */
async function tag(count: number, text: string): Promise<void> {
  const tags = Array.from({ length: count }, (_, index) => `tag ${index}`);
  const runs = [runRecord('a'), runRecord('b', { tags })];
  const { client } = standIn({
    'run.annotate': (args) => {
      annotated.push(args);
      return runRecord('a');
    },
  });
  render(
    <MantineProvider>
      <ApiProvider value={client}>
        <TagsDialog runs={runs.map((run) => summaryOf(run, 1))} onClose={() => undefined} />
      </ApiProvider>
    </MantineProvider>,
  );
  const field = await screen.findByLabelText('Tags', { selector: 'input' });
  fireEvent.change(field, { target: { value: text } });
  fireEvent.keyDown(field, { key: 'Enter' });
}
const save = (): HTMLButtonElement => screen.getByRole('button', { name: 'Save' });

it('a run that would have too many tags is named, and nothing is saved without it', async () => {
  await tag(20, 'new');
  expect(screen.getByText('“run b” would have more than 20 tags.')).toBeDefined();
  expect(save().disabled).toBe(true);
});

it('a tag that is too long is refused, not cut', async () => {
  await tag(0, 'x'.repeat(60));
  expect(screen.getByText(/is too long: a tag has at most 40 characters/)).toBeDefined();
});

it('a tag is added to what each run has', async () => {
  await tag(2, 'new');
  fireEvent.click(save());
  await expect
    .poll(() => annotated)
    .toEqual([
      { runId: 'a', tags: ['new'] },
      { runId: 'b', tags: ['tag 0', 'tag 1', 'new'] },
    ]);
});
