// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import type { Script } from '../../../shared/lab/script.ts';
import { standIn } from '../../api/client.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { startI18n } from '../../i18n/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { closeLab, showLab } from '../../state/index.ts';
import { newNode } from '../../state/new-parts.ts';
import { mantineTheme } from '../../theme/index.ts';
import { MoreFields } from './MoreFields.tsx';

beforeEach(async () => {
  furnishBrowser();
  await startI18n('en');
});
afterEach(() => {
  cleanup();
  closeLab();
});

it('the minimum number of nodes is one of nodes that train: switches do not count', () => {
  const lab = emptyLab('lab', 'Lab');
  const nodes = (['switch', 'gpu', 'gpu', 'gpu', 'gpu'] as const).map((kind) =>
    newNode(lab, kind, { x: 0, y: 0 }, false),
  );
  const script: Script = {
    source: { type: 'folder', path: '/s' },
    file: 's.py',
    arguments: '',
    launch: 'torchrun',
  };
  const drawn: LabDocument = { ...lab, nodes, experiment: { ...lab.experiment, script } };
  showLab({ lab: drawn, path: '/l', revision: 1, issues: [] });
  const changes: Partial<Script>[] = [];
  render(
    <MantineProvider theme={mantineTheme}>
      <ApiProvider value={standIn({}).client}>
        <MoreFields
          experiment={drawn.experiment}
          script={script}
          issue={() => undefined}
          change={(change) => changes.push(change)}
          set={() => undefined}
          files={[]}
        />
      </ApiProvider>
    </MantineProvider>,
  );
  const field = screen.getByLabelText<HTMLInputElement>('Minimum number of nodes');
  expect(field.value).toBe('4');
  fireEvent.change(field, { target: { value: '3' } });
  fireEvent.change(field, { target: { value: '4' } });
  expect(changes).toEqual([{ minNodes: 3 }, { minNodes: undefined }]);
});
