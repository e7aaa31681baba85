/** Commands for the selected nodes. */
import { notifications } from '@mantine/notifications';
import {
  IconClipboardText,
  IconFolderOpen,
  IconLink,
  IconPencil,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlugConnectedX,
  IconRefresh,
  IconReplace,
  IconTerminal2,
  IconUserMinus,
} from '@tabler/icons-react';
import type { LabNode } from '../../shared/lab/lab.ts';
import { canTakeOut, replaceable, spareNodes } from '../../shared/run/membership.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import {
  activeRunId,
  asRinglabError,
  connectFrom,
  focusField,
  report,
  saveNow,
  showPage,
  useLabStore,
  useRunStore,
} from '../state/index.ts';
import { openTerminal } from '../terminal/index.ts';
import type { Command, CommandContext } from './command.ts';
import { rejoin } from './run-commands.ts';

/** The selected nodes that are machines: switches are not. */
function machines(): LabNode[] {
  const { lab, selection } = useLabStore.getState();
  const ids = new Set(selection.nodes);
  return lab?.nodes.filter((node) => ids.has(node.id) && node.kind !== 'switch') ?? [];
}
const isRemote = ({ access }: LabNode): boolean => access.type === 'ssh';
const someMachine = (): boolean => machines().length > 0;

/** The maximum number of terminals that one command opens: each is a shell on a node and a screen here. */
const maxAtOnce = 64;

/** Opens a terminal on each selected machine. */
function openTerminals({ api, t }: CommandContext): void {
  const all = machines();
  for (const { id } of all.slice(0, maxAtOnce)) openTerminal(api, id);
  if (all.length > maxAtOnce) {
    notifications.show({
      id: 'terminals-cut',
      color: 'yellow',
      message: t('terminal.maxAtOnce', { opened: maxAtOnce, count: all.length }),
    });
  }
}

/** Sends a request about the open lab, saved as drawn now; failures are reported. */
function ask({ api }: CommandContext, work: (labId: string) => Promise<unknown>): void {
  const labId = useLabStore.getState().lab?.id;
  if (labId === undefined) return;
  saveNow(api)
    .then(() => work(labId))
    .catch((error: unknown) => report(asRinglabError(error)));
}

/** The same for each selected machine separately: a failure does not stop the others. */
function forEach(
  context: CommandContext,
  work: (labId: string, nodeId: string) => Promise<unknown>,
  nodes = machines(),
): void {
  for (const { id } of nodes) ask(context, (labId) => work(labId, id));
}

/** The open lab's active run. */
function activeRun(): RunRecord | undefined {
  const labId = useLabStore.getState().lab?.id;
  const runs = useRunStore.getState();
  const runId = labId === undefined ? undefined : activeRunId(runs, labId);
  return runId === undefined ? undefined : runs.records[runId];
}

/** The selected machine, and the active run from which it can be taken out. */
function leaving(): { readonly runId: string; readonly nodeId: string } | undefined {
  const [node, ...more] = machines();
  const run = activeRun();
  if (node === undefined || more.length > 0 || run === undefined) return undefined;
  return canTakeOut(run, node.id) ? { runId: run.id, nodeId: node.id } : undefined;
}

interface Replacing {
  readonly run: RunRecord;
  readonly nodeId: string;
  readonly spare: readonly LabNode[];
}

/** Of the selected nodes the lost one, and those that may take its place: the others, or all that the run does not have. */
function replacing(): Replacing | undefined {
  const { lab } = useLabStore.getState();
  const run = activeRun();
  if (lab === undefined || run === undefined) return undefined;
  const lost = new Set(replaceable(run));
  const [node, ...more] = machines().filter(({ id }) => lost.has(id));
  const others = new Set(machines().flatMap(({ id }) => (id === node?.id ? [] : [id])));
  const spare = spareNodes(lab, run).filter(({ id }) => others.size === 0 || others.has(id));
  return node === undefined || more.length > 0 || spare.length === 0
    ? undefined
    : { run, nodeId: node.id, spare };
}

export const nodeCommands: readonly Command[] = [
  {
    id: 'start',
    section: 'node',
    Icon: IconPlayerPlay,
    isPossible: someMachine,
    run(context) {
      const nodeIds = machines().map((node) => node.id);
      ask(context, (labId) => context.api.call('provision.prepare', { labId, nodeIds }));
    },
  },
  {
    id: 'probe',
    section: 'node',
    Icon: IconPlugConnected,
    isPossible: someMachine,
    run(context) {
      forEach(context, (labId, nodeId) => context.api.call('node.probe', { labId, nodeId }));
    },
  },
  {
    id: 'terminal',
    section: 'node',
    Icon: IconTerminal2,
    keys: 'Mod+`',
    isPossible: () => machines().length === 1,
    run: openTerminals,
  },
  {
    id: 'terminals',
    section: 'node',
    Icon: IconTerminal2,
    keys: 'Mod+`',
    isPossible: () => machines().length > 1,
    run: openTerminals,
  },
  {
    id: 'stop',
    section: 'node',
    Icon: IconPlugConnectedX,
    isPossible: someMachine,
    run(context) {
      forEach(context, (labId, nodeId) => context.api.call('node.stop', { labId, nodeId }));
    },
  },
  {
    id: 'reboot',
    section: 'node',
    Icon: IconRefresh,
    // A local node is this computer, which Ringlab does not reboot.
    isPossible: () => machines().some(isRemote),
    run(context) {
      forEach(
        context,
        (labId, nodeId) => context.api.call('node.reboot', { labId, nodeId }),
        machines().filter(isRemote),
      );
    },
  },
  {
    id: 'takeOut',
    section: 'node',
    Icon: IconUserMinus,
    isDestructive: true,
    isPossible: () => leaving() !== undefined,
    run({ api }) {
      const found = leaving();
      if (found !== undefined)
        api.call('run.takeOut', found).catch((error: unknown) => report(asRinglabError(error)));
    },
  },
  {
    id: 'replaceNode',
    section: 'node',
    Icon: IconReplace,
    isPossible: () => replacing() !== undefined,
    run(context) {
      const found = replacing();
      const [by, ...more] = found?.spare ?? [];
      if (found === undefined || by === undefined) return;
      if (more.length === 0) {
        void rejoin(found.run, context, [{ nodeId: found.nodeId, by: by.id }]);
        return;
      }
      const nodes = found.spare.map(({ name }) => name).join(', ');
      notifications.show({
        id: 'replace-by',
        color: 'blue',
        message: context.t('commands.replaceBy', { nodes }),
      });
    },
  },
  {
    id: 'openFolder',
    section: 'node',
    Icon: IconFolderOpen,
    isPossible: () => machines().length === 1,
    run(context) {
      forEach(context, (labId, nodeId) => context.api.call('node.openFolder', { labId, nodeId }));
    },
  },
  {
    id: 'copySsh',
    section: 'node',
    Icon: IconClipboardText,
    isPossible: () => machines().length === 1,
    run(context) {
      forEach(context, async (labId, nodeId) => {
        const { command } = await context.api.call('node.sshCommand', { labId, nodeId });
        // It is shown in any case: if the browser refuses the clipboard, the user can copy it by hand.
        await navigator.clipboard.writeText(command).catch(() => undefined);
        notifications.show({
          id: 'ssh-command',
          title: context.t('canvas.sshCopied'),
          message: command,
          autoClose: 12_000,
        });
      });
    },
  },
  {
    id: 'rename',
    section: 'node',
    Icon: IconPencil,
    keys: 'F2',
    isPossible: () => useLabStore.getState().selection.nodes.length === 1,
    run() {
      const [nodeId] = useLabStore.getState().selection.nodes;
      showPage('selection');
      if (nodeId !== undefined) focusField(`node.${nodeId}.name`);
    },
  },
  {
    id: 'connectTo',
    section: 'node',
    Icon: IconLink,
    isPossible: () => useLabStore.getState().selection.nodes.length === 1,
    run: () => connectFrom(useLabStore.getState().selection.nodes[0]),
  },
];
