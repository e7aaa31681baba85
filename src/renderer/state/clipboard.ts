/** Copied parts of a lab as text, so that they go from lab to lab and from window to window. */
import { z } from 'zod';
import { LabLink, LabNode } from '../../shared/lab.ts';
import { cardSize, insertParts, pasteOffset, snap, takeParts, type Parts } from './new-parts.ts';
import { editLab, select, useLabStore } from './lab.ts';

const Copied = z.object({
  format: z.literal('ringlab-parts'),
  nodes: z.array(LabNode).min(1).max(5000),
  links: z.array(LabLink).max(20_000),
});

/** The newest copy of this window: a menu cannot read the system's clipboard. */
let newest: string | undefined;

export const hasCopied = (): boolean => newest !== undefined;

/** The selected nodes and the links among them as text; undefined where no node is selected. */
export function copySelected(): string | undefined {
  const { lab, selection } = useLabStore.getState();
  const parts = lab === undefined ? undefined : takeParts(lab, selection.nodes);
  if (parts === undefined) return undefined;
  newest = JSON.stringify({ format: 'ringlab-parts', ...parts });
  return newest;
}

/**
 * Puts copied parts into the open lab and selects them. False where the text is none of ours.
 * @param text this window's newest copy unless told
 * @param at where the middle of what is pasted goes; beside what is there already unless told
 */
export function pasteParts(text = newest, at?: { x: number; y: number }): boolean {
  const { lab } = useLabStore.getState();
  const parts = text === undefined ? undefined : parseParts(text);
  if (lab === undefined || parts === undefined) return false;
  const pasted = insertParts(lab, parts, at === undefined ? pasteOffset(lab, parts) : offsetTo(parts, at));
  editLab(pasted.edit);
  select({ nodes: pasted.nodeIds, links: [] });
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
  return parsed.success ? parsed.data : undefined;
}

function offsetTo(parts: Parts, at: { x: number; y: number }): { x: number; y: number } {
  const xs = parts.nodes.map(({ position }) => position.x);
  const ys = parts.nodes.map(({ position }) => position.y);
  const least = { x: Math.min(...xs), y: Math.min(...ys) };
  return snap({
    x: at.x - (least.x + Math.max(...xs) + cardSize.width) / 2,
    y: at.y - (least.y + Math.max(...ys) + cardSize.height) / 2,
  });
}
