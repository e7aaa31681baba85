/** The view that the user had in each lab, kept on this computer and restored when the lab opens. */
import type { Viewport } from '@xyflow/react';
import * as z from 'zod';
import { keepText } from '../state/index.ts';

const key = 'ringlab.views';
/** The maximum number of labs whose view is kept; the one that was not moved in for longest is dropped. */
const maxLabs = 100;

const View = z.object({ x: z.number(), y: z.number(), zoom: z.number().positive() });
const Views = z.array(z.tuple([z.string(), View])).max(maxLabs);

function read(): z.infer<typeof Views> {
  try {
    return Views.parse(JSON.parse(localStorage.getItem(key) ?? '[]'));
  } catch {
    // Written by another version, or by hand: each lab is fitted into the view again.
    return [];
  }
}

export const keptView = (labId: string): Viewport | undefined => read().find(([id]) => id === labId)?.[1];

/** Stores a view; undefined removes it, so that the lab is fitted into the view when it is opened next. */
export function keepView(labId: string, view: Viewport | undefined): void {
  const others = read().filter(([id]) => id !== labId);
  const kept = view === undefined ? others : [...others, [labId, view] as const];
  keepText(key, JSON.stringify(kept.slice(-maxLabs)));
}
