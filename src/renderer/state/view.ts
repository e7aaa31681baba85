/** What is open in the window beside the lab itself: the inspector's page, small questions on the canvas. */
import { create } from 'zustand';

export type InspectorPage = 'selection' | 'experiment' | 'lab';

export interface ViewSlice {
  readonly page: InspectorPage;
  /** The link whose bandwidth is being asked. */
  readonly asking: string | undefined;
  /** The node from which a link is being made by keyboard. */
  readonly connecting: string | undefined;
  /** A field that wants the focus: the path of a lab issue. Counts up so that asking twice works. */
  readonly focus: { readonly path: string; readonly count: number } | undefined;
}

export const useViewStore = create<ViewSlice>(() => ({
  page: 'experiment',
  asking: undefined,
  connecting: undefined,
  focus: undefined,
}));

export const showPage = (page: InspectorPage): void => useViewStore.setState({ page });
export const askBandwidth = (linkId: string | undefined): void => useViewStore.setState({ asking: linkId });
export const connectFrom = (nodeId: string | undefined): void =>
  useViewStore.setState({ connecting: nodeId });
export const focusField = (path: string): void =>
  useViewStore.setState((now) => ({ focus: { path, count: (now.focus?.count ?? 0) + 1 } }));
