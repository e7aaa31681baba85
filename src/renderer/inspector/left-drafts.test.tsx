// @vitest-environment jsdom
/** Text that is not valid keeps a run from starting as long as there is a field that shows it. */
import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newKubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { type Experiment, type LabNode } from '../../shared/lab/lab.ts';
import { newSlurmTarget } from '../../shared/lab/where.ts';
import { standIn } from '../api/client.fixture.ts';
import { ApiProvider } from '../api/index.ts';
import { startI18n } from '../i18n/index.ts';
import { furnishBrowser, labOf } from '../shell/window.fixture.tsx';
import {
  addAnnotation,
  badDrafts,
  changeAnnotation,
  closeLab,
  dropAllDrafts,
  editLab,
  removeSelected,
  showLab,
  undoEdit,
  useDraftStore,
  useLabStore,
} from '../state/index.ts';
import { mantineTheme } from '../theme/index.ts';
import { AnnotationPanel } from './AnnotationPanel.tsx';
import { ExperimentPanel } from './ExperimentPanel.tsx';
import { NodePanel } from './NodePanel.tsx';

beforeEach(async () => {
  furnishBrowser();
  await startI18n('en');
  showLab({ lab: labOf(['N1', 'N2']), path: '/l', revision: 1, issues: [] });
});
afterEach(() => {
  cleanup();
  closeLab();
  dropAllDrafts();
});

const client = standIn({}).client;
const around = (panel: React.ReactNode) => (
  <MantineProvider theme={mantineTheme}>
    <ApiProvider value={client}>{panel}</ApiProvider>
  </MantineProvider>
);
const typed = (label: string, text: string): void => {
  fireEvent.change(screen.getByLabelText(label, { selector: 'input, textarea' }), {
    target: { value: text },
  });
};
const bad = (): string[] =>
  badDrafts(useDraftStore.getState().drafts, useLabStore.getState().lab).map(({ key }) => key);
const change = (changed: Partial<Experiment>): void =>
  act(() => editLab({ type: 'experiment', change: changed }));
const access = (nodeId: string, to: LabNode['access']): void =>
  act(() => editLab({ type: 'node', nodeId, change: { access: to } }));
const ssh: LabNode['access'] = {
  ...{ type: 'ssh', host: 'a.test', port: 22, user: 'root' },
  authentication: { method: 'agent' },
};

describe('invalid text', () => {
  it('of the experiment goes with the field that a choice takes away', () => {
    render(around(<ExperimentPanel />));
    typed('Momentum', '0.9x');
    change({ batchSize: 64 });
    expect(bad()).toEqual(['experiment.momentum']);
    change({ optimizer: 'adamw' });
    expect(bad()).toEqual([]);

    change({ where: newSlurmTarget() });
    const fold = screen.getByRole('button', { name: 'Modules and options' });
    fireEvent.click(fold);
    typed('SSH port', '22x');
    typed('Modules to load', ';');
    fireEvent.click(fold);
    change({ batchSize: 32 });
    expect(bad()).toEqual(['experiment.where.login.port', 'experiment.where.modules']);
    change({ where: newKubernetesTarget() });
    expect(bad()).toEqual([]);
    typed('Namespace', 'A B');
    expect(bad()).toEqual(['experiment.where.namespace']);
    act(undoEdit);
    expect(bad()).toEqual([]);
  });

  it('of the experiment counts while something else is shown', () => {
    const { rerender } = render(around(<ExperimentPanel />));
    typed('Momentum', '0.9x');
    rerender(around(null));
    act(() => editLab({ type: 'lab', change: { name: 'Other' } }));
    rerender(around(<ExperimentPanel />));
    expect(bad()).toEqual(['experiment.momentum']);
  });

  it('of a node goes with its SSH fields, and counts while another node is shown', () => {
    access('n1', ssh);
    access('n2', ssh);
    const { rerender } = render(around(<NodePanel nodeId="n1" />));
    typed('SSH port', '22x');
    rerender(around(<NodePanel nodeId="n2" />));
    typed('SSH port', '23x');
    access('n2', { type: 'local' });
    expect(bad()).toEqual(['node.n1.access.port']);
    rerender(around(<NodePanel nodeId="n1" />));
    access('n1', { type: 'local' });
    expect(bad()).toEqual([]);
  });

  it('of a note goes with the note', () => {
    addAnnotation('note', { x: 0, y: 0 });
    const { id } = useLabStore.getState().lab!.annotations![0]!;
    const { rerender } = render(around(<AnnotationPanel id={id} />));
    typed('Width', '5');
    act(() => changeAnnotation(id, { text: 'more' }));
    expect(bad()).toEqual([`annotation.${id}.width`]);
    rerender(around(null));
    act(() => void removeSelected());
    expect(bad()).toEqual([]);
  });
});
