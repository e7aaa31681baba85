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

const ownScript: Script = { source: { type: 'folder', path: '/s' }, file: 's.py', arguments: '' };

/** Shows the fields of the lab's script. Returns what is changed in it. */
function show(lab: LabDocument): Partial<Script>[] {
  showLab({ lab, path: '/l', revision: 1, issues: [] });
  const changes: Partial<Script>[] = [];
  render(
    <MantineProvider theme={mantineTheme}>
      <ApiProvider value={standIn({}).client}>
        <MoreFields
          experiment={lab.experiment}
          script={lab.experiment.script ?? ownScript}
          issue={() => undefined}
          change={(change) => changes.push(change)}
          set={() => undefined}
          files={[]}
        />
      </ApiProvider>
    </MantineProvider>,
  );
  return changes;
}

it('a lab without a runtime shows the one that its script gets, and its packages', () => {
  const lab = emptyLab('lab', 'Lab');
  show({ ...lab, experiment: { ...lab.experiment, runtime: undefined, script: ownScript } });
  expect(screen.getByLabelText<HTMLInputElement>('Runtime', { selector: 'input' }).value).toBe(
    'PyTorch’s own wheels',
  );
  expect(screen.queryByLabelText('Packages', { selector: 'input' })).not.toBeNull();
  // It is what a new script has: nothing is changed.
  expect(screen.queryByText('More settings of the script')).not.toBeNull();
});

it('the minimum number of nodes is one of nodes that train: switches do not count', () => {
  const lab = emptyLab('lab', 'Lab');
  const nodes = (['switch', 'gpu', 'gpu', 'gpu', 'gpu'] as const).map((kind) =>
    newNode(lab, kind, { x: 0, y: 0 }, false),
  );
  const script: Script = { ...ownScript, launch: 'torchrun' };
  const changes = show({ ...lab, nodes, experiment: { ...lab.experiment, script } });
  const field = screen.getByLabelText<HTMLInputElement>('Minimum number of nodes');
  expect(field.value).toBe('4');
  fireEvent.change(field, { target: { value: '3' } });
  fireEvent.change(field, { target: { value: '4' } });
  expect(changes).toEqual([{ minNodes: 3 }, { minNodes: undefined }]);
});
