// @vitest-environment jsdom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { summaryOf } from '../../shared/contract/api.ts';
import type { Prompt } from '../../shared/contract/prompts.ts';
import type { LabIssue } from '../../shared/lab/lab-issue.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import { editLab, saveNow, select, undoEdit, useLabStore } from '../state/index.ts';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from './window.fixture.tsx';

let opened: OpenedWindow | undefined;
const person = userEvent.setup();
const lab = () => {
  const now = useLabStore.getState().lab;
  if (now === undefined) throw new Error('no lab is open');
  return now;
};
const openWith = async (...args: Parameters<typeof openWindow>): Promise<OpenedWindow> => {
  opened = await openWindow(...args);
  await screen.findByRole('button', { name: 'Run experiment' });
  // The inspector is painted after the drawing.
  await screen.findByRole('tab', { name: 'Experiment' });
  return opened;
};

beforeEach(furnishBrowser);
afterEach(() => {
  opened?.stop();
  opened = undefined;
  document.body.replaceChildren();
});

describe('the palette', () => {
  it('adds each kind by click and by Enter, and undo takes it away', async () => {
    await openWith(labOf([]));
    await person.click(screen.getByRole('button', { name: 'GPU node' }));
    screen.getByRole('button', { name: 'CPU node' }).focus();
    await person.keyboard('{Enter}');
    await person.click(screen.getByRole('button', { name: 'Switch' }));
    expect(lab().nodes.map(({ kind, name }) => [kind, name])).toEqual([
      ['gpu', 'N1'],
      ['cpu', 'N2'],
      ['switch', 'S1'],
    ]);
    await person.click(screen.getByRole('button', { name: 'Undo' }));
    expect(lab().nodes).toHaveLength(2);
    await person.click(screen.getByRole('button', { name: 'Redo' }));
    expect(lab().nodes).toHaveLength(3);
  });
});

describe('the palette by drag', () => {
  it('adds nothing after Escape, and what is dragged is gone at once', async () => {
    await openWith(labOf([]));
    const gpu = screen.getByRole('button', { name: 'GPU node' });
    fireEvent.pointerDown(gpu, { button: 0, clientX: 5, clientY: 5 });
    fireEvent.pointerMove(gpu, { clientX: 300, clientY: 200 });
    expect(screen.getAllByText('GPU node')).toHaveLength(2);
    fireEvent.keyDown(gpu, { key: 'Escape' });
    expect(screen.getAllByText('GPU node')).toHaveLength(1);
    // The pointer was captured: its release is a click on the palette.
    fireEvent.pointerUp(gpu, { clientX: 300, clientY: 200 });
    fireEvent.click(gpu);
    expect(lab().nodes).toEqual([]);
    await person.click(gpu);
    expect(lab().nodes).toHaveLength(1);
  });
});

describe('a search field of the runs', () => {
  it('does not undo edits of the drawing, nor duplicate what is selected in it', async () => {
    const runs = ['r', 'q'].map((id) => runRecord(id, { labId: 'lab', state: 'stopped', name: id }));
    await openWith(labOf(['N1']), {
      'run.list': () => runs.map((one) => summaryOf(one, 1)),
      'run.get': () => runs[0]!,
    });
    act(() => select({ nodes: ['n1'], links: [] }));
    act(() => editLab({ type: 'node', nodeId: 'n1', change: { name: 'Lyon' } }));
    await person.click(await screen.findByRole('button', { name: 'All runs in a table' }));
    const [filter] = await screen.findAllByRole('textbox', { name: 'Filter runs' });
    await person.type(filter!, 'r');
    await person.keyboard('{Control>}z{/Control}{Control>}d{/Control}');
    expect(lab().nodes.map(({ name }) => name)).toEqual(['Lyon']);
    screen.getByRole('textbox', { name: 'Name of the lab' }).focus();
    await person.keyboard('{Control>}z{/Control}');
    expect(lab().nodes.map(({ name }) => name)).toEqual(['N1']);
  });
});

describe('a lab without a name', () => {
  it('is called so in the menu, in the palette of commands and in the title', async () => {
    const unnamed = { ...labOf([]), name: '' };
    await openWith(unnamed, {
      'lab.list': () => ['lab', 'other'].map((id) => ({ id, name: ' ', path: id, nodes: 0, changedAt: 1 })),
    });
    expect(document.title).toBe('(no name) – Ringlab');
    expect(screen.getByRole('textbox', { name: 'Name of the lab' })).toHaveProperty(
      'placeholder',
      '(no name)',
    );
    await person.click(screen.getByRole('button', { name: 'Lab menu' }));
    expect(await screen.findAllByText('(no name)')).toHaveLength(2);
    await person.keyboard('{Escape}{Control>}k{/Control}');
    const search = await screen.findByRole('textbox', { name: 'Search commands, nodes, labs and runs' });
    await person.type(search, 'Open lab');
    const found = within(search.closest<HTMLElement>('[role="dialog"]')!);
    expect(await found.findByText('(no name)')).toBeDefined();
    await person.keyboard('{Escape}');
  });
});

describe('several links', () => {
  it('are taken down and brought up together in the inspector, those that are emulated', async () => {
    const three = labOf(['N1', 'N2', 'N3']);
    const rates = { bandwidthMbps: 10, delayMs: 0, lossPercent: 0 };
    const links = ['n2', 'n3'].map((end) => ({
      id: `l${end}`,
      ends: ['n1', end] as [string, string],
      ...rates,
    }));
    const cuts: unknown[] = [];
    const network = ({ labId }: { labId: string }) => ({
      ...{ labId, emulated: true, paths: [] },
      links: [
        { linkId: 'ln2', emulated: true, down: false, lacking: [] },
        { linkId: 'ln3', emulated: true, down: true, lacking: [] },
        { linkId: 'l3', emulated: true, down: false, lacking: [] },
      ],
    });
    await openWith(
      { ...three, links: [...links, { id: 'l3', ends: ['n2', 'n3'], ...rates }] },
      {
        'net.state': network,
        'net.cut': ({ labId, linkId, down }) => {
          cuts.push([linkId, down]);
          return network({ labId });
        },
      },
    );
    act(() => select({ nodes: [], links: ['ln2', 'ln3', 'l3'] }));
    await person.click(await screen.findByRole('button', { name: 'Take the links down' }));
    await person.click(screen.getByRole('button', { name: 'Bring the links up' }));
    expect(cuts).toEqual([
      ['ln2', true],
      ['l3', true],
      ['ln3', false],
    ]);
  });
});

describe('fields', () => {
  it('keep invalid text, with its message, and change nothing in the lab', async () => {
    const { calls } = await openWith(labOf(['N1']));
    const epochs = screen.getByRole('textbox', { name: 'Epochs' });
    await person.clear(epochs);
    await person.type(epochs, '2.5');
    // Not before the user has left the field.
    expect(screen.queryByText('Only whole numbers.')).toBeNull();
    await person.tab();
    expect(screen.getByText('Only whole numbers.')).toBeDefined();
    expect(lab().experiment.epochs).toBe(2);
    await person.type(epochs, 'x');
    expect(screen.getByText('This is not a number.')).toBeDefined();
    await person.click(screen.getByRole('tab', { name: 'Lab' }));
    await person.click(screen.getByRole('tab', { name: 'Experiment' }));
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Epochs' }).value).toBe('2.5x');
    await person.click(screen.getByRole('button', { name: 'Run experiment' }));
    expect(await screen.findByText('Epochs: This is not a number.')).toBeDefined();
    expect(calls.some((call) => call.name === 'run.start')).toBe(false);
    await person.clear(screen.getByRole('textbox', { name: 'Epochs' }));
    await person.type(screen.getByRole('textbox', { name: 'Epochs' }), '7');
    expect(lab().experiment.epochs).toBe(7);
    expect(screen.queryByText('This is not a number.')).toBeNull();
  });

  it('take typing as one undo step, and show the restored value', async () => {
    await openWith(labOf(['N1']));
    const before = lab().experiment.learningRate;
    const rate = screen.getByRole<HTMLInputElement>('textbox', { name: 'Learning rate' });
    await person.clear(rate);
    await person.type(rate, '1e-3');
    expect(lab().experiment.learningRate).toBe(0.001);
    expect(rate.value).toBe('1e-3');
    await person.keyboard('{Control>}z{/Control}');
    expect(lab().experiment.learningRate).toBe(before);
    await waitFor(() => expect(rate.value).toBe(String(before)));
  });

  it('show the lab’s issues at the field and beside the button', async () => {
    await openWith(labOf(['N1', 'N2']));
    await person.click(screen.getByRole('button', { name: /^N2/ }));
    const name = screen.getByRole('textbox', { name: 'Name' });
    await person.clear(name);
    await person.type(name, 'N1');
    await person.tab();
    expect(screen.getAllByText(/Two nodes are named “N1”/).length).toBeGreaterThan(0);
    await person.click(screen.getByRole('button', { name: '1 problem' }));
    // Without a layout, the list is considered hidden.
    const listed = await screen.findByRole('button', { name: /Two nodes are named “N1”/, hidden: true });
    await person.click(listed);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name' })));
  });

  it('of a note lead back to it from the list of problems', async () => {
    const note = { kind: 'note', position: { x: 0, y: 0 }, size: { width: 200, height: 80 } } as const;
    await openWith({ ...labOf(['N1']), annotations: [{ ...note, id: 'a1', text: '', colour: 'yellow' }] });
    act(() => select({ nodes: [], links: [], annotations: ['a1'] }));
    const width = await screen.findByRole('textbox', { name: 'Width' });
    await person.type(width, 'x');
    act(() => select({ nodes: [], links: [] }));
    await person.click(await screen.findByRole('button', { name: /problem/ }));
    await person.click(
      await screen.findByRole('button', { name: 'Width: This is not a number.', hidden: true }),
    );
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Width' })));
  });

  it('of the architecture take what is typed in place of the name, with its parameters beside each', async () => {
    await openWith(labOf(['N1']));
    const field = screen.getByRole<HTMLInputElement>('combobox', { name: 'Architecture' });
    // Below the field, and in the list.
    expect(screen.getAllByText('11.7 M parameters · 46.8 MB')).toHaveLength(2);
    await person.tab();
    field.focus();
    await person.keyboard('squeezenet1_1');
    expect(field.value).toBe('squeezenet1_1');
    const option = await screen.findByRole('option', { name: 'squeezenet1_1', hidden: true });
    expect(option.textContent).toContain('1.24 M parameters · 4.9 MB');
    await person.click(option);
    expect(lab().experiment.architecture).toBe('squeezenet1_1');
    expect(screen.getAllByText('1.24 M parameters · 4.9 MB')).toHaveLength(2);
  });

  it('of access ask for a host only over SSH', async () => {
    await openWith(labOf(['N1']));
    await person.click(screen.getByRole('button', { name: /^N1/ }));
    expect(screen.queryByRole('textbox', { name: 'SSH host' })).toBeNull();
    await person.click(screen.getByRole('radio', { name: 'SSH' }));
    // A field that waits to be filled in is no error until it was left empty, or a run was asked for.
    const fields = within(screen.getByRole('complementary', { name: 'Inspector' }));
    expect(fields.queryByText('N1: the SSH host is missing.')).toBeNull();
    screen.getByRole('textbox', { name: 'SSH host' }).focus();
    await person.tab();
    expect(fields.getByText('N1: the SSH host is missing.')).toBeDefined();
    await person.type(screen.getByRole('textbox', { name: 'SSH host' }), '节点.example');
    await person.click(screen.getByRole('switch', { name: 'Through a jump host' }));
    await person.type(screen.getByRole('textbox', { name: 'Jump host' }), 'gate');
    expect(lab().nodes[0]?.access).toMatchObject({
      type: 'ssh',
      host: '节点.example',
      jump: { host: 'gate' },
    });
    await person.click(screen.getByRole('switch', { name: 'Through a jump host' }));
    expect(lab().nodes[0]?.access).not.toHaveProperty('jump');
  });
});

describe('a node’s hardware', () => {
  it('is this computer’s for a local node, and marked as wanted where nobody has looked', async () => {
    const drawn = labOf(['N1', 'N2']);
    const nodes = drawn.nodes.map((node, index) => ({
      ...node,
      kind: 'gpu' as const,
      placement: { ...node.placement, flavour: { name: 'gpu', gpuModel: 'RTX 3080', gpuCount: 1 } },
      ...(index === 0
        ? {}
        : {
            access: {
              type: 'ssh' as const,
              host: '10.0.0.2',
              port: 22,
              user: 'root',
              authentication: { method: 'password' as const },
            },
          }),
    }));
    await openWith({ ...drawn, nodes });
    const [here, there] = ['n1', 'n2'].map((id) =>
      document.querySelector(`.react-flow__node[data-id="${id}"]`),
    );
    expect(here?.textContent).toContain('no GPU · 2 CPU · 4.0 GB');
    expect(here?.textContent).not.toContain('RTX 3080');
    expect(there?.textContent).toContain('Wanted: 1 × RTX 3080 · 2 CPU · 4 GB');
  });
});

describe('what is missing for a run', () => {
  const overSsh = (): LabDocument => {
    const lab = labOf(['N1', 'N2']);
    return {
      ...lab,
      nodes: lab.nodes.map((node) => ({
        ...node,
        access: { type: 'ssh', host: '', port: 22, user: 'root', authentication: { method: 'password' } },
      })),
    };
  };

  it('is listed on the canvas, and each line leads to its field', async () => {
    const { calls } = await openWith(overSsh());
    const steps = screen.getByRole('region', { name: 'Fill in before the first run' });
    expect(
      within(steps)
        .getAllByRole('button')
        .map(({ textContent }) => textContent),
    ).toEqual(['N1: the SSH host is missing.', 'N2: the SSH host is missing.']);
    expect(screen.getByRole('button', { name: '2 to fill in' })).toBeDefined();
    await person.click(screen.getByRole('button', { name: 'Run experiment' }));
    expect(calls.some(({ name }) => name === 'run.start')).toBe(false);
    await person.click(within(steps).getByRole('button', { name: 'N2: the SSH host is missing.' }));
    const host = screen.getByRole('textbox', { name: 'SSH host' });
    await waitFor(() => expect(document.activeElement).toBe(host));
    await person.type(host, '10.0.0.2');
    expect(within(steps).queryByText('N2: the SSH host is missing.')).toBeNull();
    expect(lab().nodes.map(({ access }) => 'host' in access && access.host)).toEqual(['', '10.0.0.2']);
  });

  it('on this computer is asked of it, once more before the start', async () => {
    const absent: LabIssue = {
      severity: 'error',
      code: 'data_folder_absent',
      params: { path: '/pictures' },
      path: 'experiment.data.path',
    };
    let here: LabIssue[] = [absent];
    const { calls } = await openWith(labOf(['N1']), {
      'lab.checkHere': () => here,
      'run.start': () => {
        throw new RinglabError('local_disk_full', { path: '/data' });
      },
    });
    await screen.findByRole('region', { name: 'Fill in before the first run' });
    await person.click(screen.getByRole('button', { name: 'Run experiment' }));
    // On the canvas, and in the list that the button opens.
    const text = { name: 'This computer has no data folder “/pictures”.', hidden: true };
    await waitFor(() => expect(screen.getAllByRole('button', text)).toHaveLength(2));
    expect(calls.some(({ name }) => name === 'run.start')).toBe(false);
    here = [];
    await person.click(screen.getByRole('button', { name: 'Run experiment' }));
    await waitFor(() => expect(calls.some(({ name }) => name === 'run.start')).toBe(true));
    expect(screen.queryByRole('region', { name: 'Fill in before the first run' })).toBeNull();
  });
});

describe('running', () => {
  it('saves first, then starts, and reports a failure', async () => {
    const { client, calls, stored } = await openWith(labOf(['N1']), {
      'run.start': () => {
        throw new RinglabError('local_disk_full', { path: '/data' });
      },
    });
    await person.clear(screen.getByRole('textbox', { name: 'Epochs' }));
    await person.type(screen.getByRole('textbox', { name: 'Epochs' }), '3');
    await person.click(screen.getByRole('button', { name: 'Run experiment' }));
    expect(await screen.findByText('The disk of this computer is full (/data).')).toBeDefined();
    expect(stored().experiment.epochs).toBe(3);
    const order = calls.map((call) => call.name);
    expect(order.indexOf('lab.save')).toBeLessThan(order.indexOf('run.start'));
    await saveNow(client);
  });

  it('starts one run, even if the button and the key are used at once', async () => {
    const begun = Promise.withResolvers<{ runId: string }>();
    const run = runRecord('r', { labId: 'lab', state: 'preparing' });
    const { calls } = await openWith(labOf(['N1']), {
      'run.start': () => begun.promise,
      'run.get': () => run,
    });
    const starts = (): number => calls.filter(({ name }) => name === 'run.start').length;
    await person.keyboard('{Control>}{Enter}{/Control}');
    await waitFor(() => expect(starts()).toBe(1));
    expect(screen.getByRole('button', { name: 'Run experiment' }).dataset.loading).toBe('true');
    await person.keyboard('{Control>}{Enter}{/Control}');
    begun.resolve({ runId: 'r' });
    expect(await screen.findByRole('button', { name: 'Stop' })).toBeDefined();
    await person.keyboard('{Control>}{Enter}{/Control}');
    expect(starts()).toBe(1);
  });

  it('of an empty lab reports what is missing', async () => {
    const { calls } = await openWith(labOf([]));
    await person.click(screen.getByRole('button', { name: 'Run experiment' }));
    expect(await screen.findByText('The lab has no nodes. Add at least one.')).toBeDefined();
    await person.keyboard('{Escape}{Control>}{Enter}{/Control}');
    expect(await screen.findByText('The lab has no nodes. Add at least one.')).toBeDefined();
    expect(calls.some((call) => call.name === 'run.start')).toBe(false);
  });
});

describe('a notification of an event on a node', () => {
  it('names the node whose disk fills up, how much is needed and left, and what to do', async () => {
    const { emit } = await openWith(labOf(['N1']));
    const params = { path: '/home/a/.ringlab', needed: 90_000_000, free: 12_000_000 };
    emit('app.problem', { error: { code: 'node_disk_low', params, where: 'N1' } });
    const said = await screen.findByText(/^N1: Little space left in \/home\/a\/\.ringlab: .*90 MB.*12 MB/);
    expect(said).toBeDefined();
    expect(screen.getByText(/Free some space on the node; the run continues meanwhile/)).toBeDefined();
  });
});

describe('an update of the program under the window', () => {
  it('is said until the app is started again', async () => {
    const { emit } = await openWith(labOf(['N1']));
    expect(screen.queryByText(/was updated/)).toBeNull();
    emit('app.replaced', {});
    expect(await screen.findByText(/Ringlab was updated on this computer.*start it again/)).toBeDefined();
  });
});

describe('nodes', () => {
  it('are duplicated and saved by one button', async () => {
    const { stored } = await openWith(labOf(['N1']));
    await person.click(screen.getByRole('button', { name: /^N1/ }));
    await person.click(screen.getByRole('button', { name: 'Save and duplicate node' }));
    await waitFor(() => expect(stored().nodes.map((node) => node.name)).toEqual(['N1', 'N2']));
    undoEdit();
    expect(lab().nodes).toHaveLength(1);
  });
});

describe('questions', () => {
  const where = { labId: 'lab', nodeId: 'n1', nodeName: 'N1', host: 'n1.example', askedAt: 1 };
  const ask = async (prompt: Prompt) => {
    const answers: unknown[] = [];
    const { emit } = await openWith(labOf(['N1']), {
      'prompt.answer': (args) => {
        answers.push(args.answer);
        return {};
      },
    });
    emit('prompt.asked', { prompt });
    return { answers, dialog: await screen.findByRole('dialog') };
  };

  it('show a host key’s fingerprint, and trust it only after consent', async () => {
    const { answers, dialog } = await ask({
      ...where,
      id: 'q',
      kind: 'host-key',
      keyType: 'ssh-ed25519',
      fingerprint: 'SHA256:abc',
    });
    expect(within(dialog).getByText('SHA256:abc')).toBeDefined();
    await person.click(within(dialog).getByRole('button', { name: 'Refuse' }));
    await waitFor(() => expect(answers).toEqual([{ kind: 'refuse' }]));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('list the exact commands for a node, and change nothing without consent', async () => {
    const change = {
      what: { en: 'Load the driver’s module', 'zh-CN': '加载驱动模块' },
      command: 'modprobe nvidia',
    };
    const { answers, dialog } = await ask({
      ...where,
      id: 'q',
      kind: 'consent',
      purpose: 'prepare',
      changes: [change],
    });
    expect(within(dialog).getByText('Load the driver’s module')).toBeDefined();
    expect(within(dialog).getByText('modprobe nvidia')).toBeDefined();
    await person.keyboard('{Enter}');
    await waitFor(() => expect(answers).toEqual([{ kind: 'refuse' }]));
  });

  it('do not lend the connection with Enter', async () => {
    const { answers } = await ask({ ...where, id: 'q', kind: 'lend' });
    await person.keyboard('{Enter}');
    await waitFor(() => expect(answers).toEqual([{ kind: 'refuse' }]));
  });

  it('lend the connection after consent', async () => {
    const { answers, dialog } = await ask({ ...where, id: 'q', kind: 'lend' });
    const lend = within(dialog).getByRole('button', { name: 'Lend it' });
    await waitFor(() => expect(lend.hasAttribute('disabled')).toBe(false));
    await person.click(lend);
    await waitFor(() => expect(answers).toEqual([{ kind: 'accept' }]));
  });

  it('send a password with whether to remember it', async () => {
    const { answers, dialog } = await ask({ ...where, id: 'q', kind: 'password', user: 'root' });
    await person.type(within(dialog).getByLabelText('Password'), 'pä ss😀');
    await person.click(within(dialog).getByRole('checkbox'));
    await person.click(within(dialog).getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(answers).toEqual([{ kind: 'secret', secret: 'pä ss😀', remember: true }]));
  });

  it('pass on the server’s own prompts, all of them', async () => {
    const { answers, dialog } = await ask({
      ...where,
      id: 'q',
      kind: 'interactive',
      title: '',
      instructions: 'Two factors',
      prompts: [
        { text: 'Code', echo: true },
        { text: 'PIN', echo: false },
      ],
    });
    await person.type(within(dialog).getByLabelText('Code'), '123');
    await person.type(within(dialog).getByLabelText('PIN'), '9');
    await person.keyboard('{Enter}');
    await waitFor(() => expect(answers).toEqual([{ kind: 'answers', answers: ['123', '9'] }]));
  });
});
