/** Commands for the selected links of an emulated network. */
import { IconPlug, IconPlugOff } from '@tabler/icons-react';
import type { LabClient } from '../api/index.ts';
import { asRinglabError, linkStates, report, useLabStore } from '../state/index.ts';
import type { Command, CommandContext } from './command.ts';

/** The selected links that are emulated now and are up, or down. */
function selected(down: boolean): { labId: string; linkId: string }[] {
  const { lab, selection } = useLabStore.getState();
  if (lab === undefined) return [];
  return linkStates(lab.id).flatMap((link) =>
    link.emulated && link.down === down && selection.links.includes(link.linkId)
      ? [{ labId: lab.id, linkId: link.linkId }]
      : [],
  );
}

/** Takes a link down, or brings it up; reports failures. */
export function putLink(api: LabClient, labId: string, linkId: string, down: boolean): void {
  api.call('net.cut', { labId, linkId, down }).catch((error: unknown) => report(asRinglabError(error)));
}

function put({ api }: CommandContext, down: boolean): void {
  for (const { labId, linkId } of selected(!down)) putLink(api, labId, linkId, down);
}

export const linkCommands: readonly Command[] = [
  {
    id: 'takeLinkDown',
    section: 'link',
    Icon: IconPlugOff,
    isPossible: () => selected(false).length > 0,
    run: (context) => put(context, true),
  },
  {
    id: 'bringLinkUp',
    section: 'link',
    Icon: IconPlug,
    isPossible: () => selected(true).length > 0,
    run: (context) => put(context, false),
  },
];
