/** Commands for the selected nodes. */
import { IconLink, IconPlayerPlay, IconPlugConnected, IconTerminal2 } from '@tabler/icons-react';
import type { LabNode } from '../../shared/lab.ts';
import { asRinglabError, connectFrom, report, saveNow, useLabStore } from '../state/index.ts';
import { openTerminal } from '../terminal/index.ts';
import type { Command, CommandContext } from './command.ts';

/** The selected nodes that are machines: switches are not. */
function machines(): LabNode[] {
  const { lab, selection } = useLabStore.getState();
  const ids = new Set(selection.nodes);
  return lab?.nodes.filter((node) => ids.has(node.id) && node.kind !== 'switch') ?? [];
}
const someMachine = (): boolean => machines().length > 0;

/** Terminals that one command opens: more is a slip of the hand. */
const mostAtOnce = 8;

/** Asks something of main about the open lab, as it is drawn now; what fails is said. */
function ask({ api }: CommandContext, work: (labId: string) => Promise<unknown>): void {
  const labId = useLabStore.getState().lab?.id;
  if (labId === undefined) return;
  saveNow(api)
    .then(() => work(labId))
    .catch((error: unknown) => report(asRinglabError(error)));
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
      for (const { id } of machines()) {
        ask(context, (labId) => context.api.call('node.probe', { labId, nodeId: id }));
      }
    },
  },
  {
    id: 'terminal',
    section: 'node',
    Icon: IconTerminal2,
    keys: 'Mod+`',
    isPossible: someMachine,
    run({ api }) {
      for (const { id } of machines().slice(0, mostAtOnce)) openTerminal(api, id);
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
