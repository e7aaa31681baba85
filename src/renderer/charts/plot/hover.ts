/** The pointer's x, shared by all charts of the window, so that their cursors move together. */
import { create } from 'zustand';

export const useHoverStore = create<{
  /** In the units of the feed's x (steps, or Unix seconds). */
  readonly x: number | undefined;
}>(() => ({ x: undefined }));

export const hoverAt = (x: number | undefined): void => {
  if (useHoverStore.getState().x !== x) useHoverStore.setState({ x });
};
