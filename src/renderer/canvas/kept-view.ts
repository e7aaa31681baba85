/** Where a user looked in each lab, kept on this computer: a lab opens as it was left. */
import type { Viewport } from '@xyflow/react';
import { z } from 'zod';

const key = 'ringlab.views';
/** Labs whose view is kept; the one that was moved in longest ago goes first. */
const maxLabs = 100;

const View = z.object({ x: z.number(), y: z.number(), zoom: z.number().positive() });
const Views = z.array(z.tuple([z.string(), View])).max(maxLabs);

function read(): z.infer<typeof Views> {
  try {
    return Views.parse(JSON.parse(localStorage.getItem(key) ?? '[]'));
  } catch {
    // Of another version, or written by hand: each lab is shown whole again.
    return [];
  }
}

export const keptView = (labId: string): Viewport | undefined => read().find(([id]) => id === labId)?.[1];

/** Keeps a view; with undefined the lab is shown whole when it is opened next. */
export function keepView(labId: string, view: Viewport | undefined): void {
  const others = read().filter(([id]) => id !== labId);
  const kept = view === undefined ? others : [...others, [labId, view] as const];
  try {
    localStorage.setItem(key, JSON.stringify(kept.slice(-maxLabs)));
  } catch {
    // Without room for it nothing is lost but a zoom.
  }
}
