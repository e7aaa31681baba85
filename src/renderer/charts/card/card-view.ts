/** The user's settings for chart cards: width, pinned charts, order of values. Kept on this computer. */
import * as z from 'zod';
import { create } from 'zustand';
import { keepText } from '../../state/index.ts';
import { chartIds, isScalarId, type ChartId, type ScalarId } from '../series/chart-list.ts';

export const cardSizes = ['small', 'medium', 'large'] as const;
export type CardSize = (typeof cardSizes)[number];
/** `line`: in the lines' order, ranks ascending; `value`: the largest at the cursor first. */
export const valueOrders = ['line', 'value'] as const;

const CardView = z.object({
  size: z.enum(cardSizes).catch('medium'),
  order: z.enum(valueOrders).catch('line'),
  pinned: z.array(z.enum(chartIds)).catch([]),
});
export type CardView = z.infer<typeof CardView>;

const key = 'ringlab.charts';

export function readCardView(text: string | null): CardView {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? '{}');
  } catch {
    stored = {};
  }
  const view = CardView.safeParse(stored);
  return view.success ? view.data : { size: 'medium', order: 'line', pinned: [] };
}

export const useCardView = create<CardView>(() => readCardView(localStorage.getItem(key)));

/** False where the storage was full: then only this window has the choice. */
let isStored = true;
/** Another window of this browser may have changed it since. */
const current = (): CardView => (isStored ? readCardView(localStorage.getItem(key)) : useCardView.getState());

export function changeCardView(change: Partial<CardView>): void {
  const view = { ...current(), ...change };
  useCardView.setState(view);
  isStored = keepText(key, JSON.stringify(view));
}

/** Moves a chart to the top, or back to its place. */
export function pinCard(id: ChartId | ScalarId): void {
  if (isScalarId(id)) return; // a scalar is pinned for its lab (scalar-view.ts)
  const { pinned } = current();
  const isShownPinned = useCardView.getState().pinned.includes(id);
  const others = pinned.filter((one) => one !== id);
  changeCardView({ pinned: isShownPinned ? others : [...others, id] });
}

/** Charts on top come first, in the order in which they were moved there. */
export const pinnedFirst = <T extends { readonly id: string }>(
  cards: readonly T[],
  pinned: readonly string[],
): T[] => [
  ...pinned.flatMap((id) => cards.find((card) => card.id === id) ?? []),
  ...cards.filter((card) => !pinned.includes(card.id)),
];
