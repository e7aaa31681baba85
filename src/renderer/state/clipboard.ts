/** Copied parts of a lab as text, for pasting into other labs and windows. */
import * as z from 'zod';
import { Annotations } from '../../shared/lab/annotation.ts';
import { foreignNodes } from '../../shared/lab/foreign-lab.ts';
import { LabLink, LabNode, type LabDocument } from '../../shared/lab/lab.ts';
import { cardSize, type Rectangle } from '../../shared/drawing/card-size.ts';
import { camera } from './camera.ts';
import { insertParts, pasteOffset, snap, takeParts, type Parts } from './new-parts.ts';
import { insertInLab, select, useLabStore } from './lab.ts';
import { reportDropped } from './window.ts';

const Copied = z
  .object({
    format: z.literal('ringlab-parts'),
    nodes: z.array(LabNode).max(5000),
    links: z.array(LabLink).max(20_000),
    annotations: Annotations.optional(),
  })
  .refine(({ nodes, annotations = [] }) => nodes.length + annotations.length > 0);

/** The newest copy of all windows, for menus where the browser does not allow them to read the system's clipboard. */
let newest: string | undefined;

export const hasCopied = (): boolean => newest !== undefined;

/** What windows send each other: a copy, or the question for the newest one. Only the app's own pages can. */
const Message = z.union([z.object({ copied: z.string() }), z.literal('ask')]);
type Message = z.infer<typeof Message>;
let channel: BroadcastChannel | undefined;
const send = (message: Message): void => channel?.postMessage(message);

/** Shares copies with the other windows until the returned function is called. */
export function shareCopies(): () => void {
  const own = new BroadcastChannel('ringlab.copies');
  own.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = Message.safeParse(data);
    if (!message.success) return;
    if (message.data !== 'ask') newest = message.data.copied;
    else if (newest !== undefined) send({ copied: newest });
  });
  channel = own;
  send('ask');
  return () => {
    own.close();
    if (channel === own) channel = undefined;
  };
}

/** The selected parts and the links among them as text; undefined if there is nothing to copy. */
export function copySelected(): string | undefined {
  const { lab, selection } = useLabStore.getState();
  const parts = lab === undefined ? undefined : takeParts(lab, selection.nodes, selection.annotations);
  if (parts === undefined) return undefined;
  newest = JSON.stringify({ format: 'ringlab-parts', ...parts });
  send({ copied: newest });
  return newest;
}

/**
 * Inserts copied parts into the open lab and selects them. False if the text is not a copy of lab parts.
 * @param text the windows' newest copy by default
 * @param at the centre of the pasted parts, in document pixels; by default they are offset from the existing ones, or in the middle
 * of the view where that place is not seen
 */
export function pasteParts(text = newest, at?: { x: number; y: number }): boolean {
  const { lab } = useLabStore.getState();
  const parts = text === undefined ? undefined : parseParts(text);
  if (lab === undefined || parts === undefined) return false;
  const pasted = insertParts(lab, parts, at === undefined ? seenOffset(lab, parts) : offsetTo(parts, at));
  if (insertInLab(pasted.edit)) select(pasted.selection);
  return true;
}

function parseParts(text: string): Parts | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = Copied.safeParse(value);
  if (!parsed.success) return undefined;
  const { nodes, links, annotations = [] } = parsed.data;
  // Other text, also of another app's window, cannot be distinguished from that of a web page or chat.
  const { kept, dropped } = text === newest ? { kept: nodes, dropped: [] } : foreignNodes(nodes);
  reportDropped(dropped);
  return { nodes: kept, links, annotations };
}

const boxesOf = (parts: Parts): Rectangle[] => [
  ...parts.nodes.map(({ position }) => ({ ...position, ...cardSize })),
  ...(parts.annotations ?? []).map(({ position, size }) => ({ ...position, ...size })),
];

/** Copies from another lab may have their place far from what is seen of this one: nothing would seem to be pasted. */
function seenOffset(lab: LabDocument, parts: Parts): { x: number; y: number } {
  const beside = pasteOffset(lab, parts);
  const view = camera()?.visible();
  const isSeen = ({ x, y, width, height }: Rectangle): boolean =>
    view === undefined ||
    (x + beside.x < view.x + view.width &&
      x + beside.x + width > view.x &&
      y + beside.y < view.y + view.height &&
      y + beside.y + height > view.y);
  if (view === undefined || boxesOf(parts).some(isSeen)) return beside;
  const middle = { x: view.x + view.width / 2, y: view.y + view.height / 2 };
  return pasteOffset(lab, parts, offsetTo(parts, middle));
}

function offsetTo(parts: Parts, at: { x: number; y: number }): { x: number; y: number } {
  const boxes = boxesOf(parts);
  const min = { x: Math.min(...boxes.map(({ x }) => x)), y: Math.min(...boxes.map(({ y }) => y)) };
  return snap({
    x: at.x - (min.x + Math.max(...boxes.map(({ x, width }) => x + width))) / 2,
    y: at.y - (min.y + Math.max(...boxes.map(({ y, height }) => y + height))) / 2,
  });
}
