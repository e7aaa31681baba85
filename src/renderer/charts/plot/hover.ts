/** The pointer's x, shared by all charts of the window that have the same axis, so that their cursors move together. */
import { create } from 'zustand';
import type { FeedAxis } from '../scale/axis.ts';

interface Hover {
  readonly axis: FeedAxis;
  /** In the units of the axis (steps, epochs, or seconds). */
  readonly x: number;
}

const useHoverStore = create<{ readonly hover: Hover | undefined }>(() => ({ hover: undefined }));

/** The pointer's x for a chart along `axis`: undefined while the pointer is over a chart with another one. */
export const useHover = (axis: FeedAxis): number | undefined =>
  useHoverStore(({ hover }) => (hover?.axis === axis ? hover.x : undefined));

export function hoverAt(axis: FeedAxis, x: number): void {
  const { hover } = useHoverStore.getState();
  if (hover?.axis !== axis || hover.x !== x) useHoverStore.setState({ hover: { axis, x } });
}

export const leaveHover = (): void => useHoverStore.setState({ hover: undefined });
