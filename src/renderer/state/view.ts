/** The window's view state beside the lab: the inspector's page, and the questions on the canvas. */
import { create } from 'zustand';
import type { LabIssue } from '../../shared/lab/lab-issue.ts';
import { select, useLabStore } from './lab.ts';
import { openPanel } from './panels.ts';

export type InspectorPage = 'selection' | 'experiment' | 'lab';

export interface ViewSlice {
  readonly page: InspectorPage;
  /** The link whose bandwidth is being asked for. */
  readonly asking: string | undefined;
  /** The annotation whose text is being edited. */
  readonly writing: string | undefined;
  /** The node from which a link is being created by keyboard. */
  readonly connecting: string | undefined;
  /** The field to focus, by the path of a lab issue. The counter makes repeated requests work. */
  readonly focus: { readonly path: string; readonly count: number } | undefined;
  /** Whether the overview map is shown; undefined: depends on the number of nodes. */
  readonly overview: boolean | undefined;
  readonly dialog: Dialog | undefined;
}
/** The dialogs of the window, one at a time. */
export type Dialog = 'sshImport' | 'bundle' | 'settings' | 'help' | 'tour';

export const useViewStore = create<ViewSlice>(() => ({
  page: 'experiment',
  asking: undefined,
  writing: undefined,
  connecting: undefined,
  focus: undefined,
  overview: undefined,
  dialog: undefined,
}));

/** From this many nodes on, the overview map is shown by default. */
const overviewFrom = 12;
export const useOverview = (): boolean => {
  const many = useLabStore((state) => (state.lab?.nodes.length ?? 0) >= overviewFrom);
  return useViewStore((state) => state.overview ?? many);
};
export function toggleOverview(): void {
  const many = (useLabStore.getState().lab?.nodes.length ?? 0) >= overviewFrom;
  useViewStore.setState((now) => ({ overview: !(now.overview ?? many) }));
}
let choices = 0;
/** How often a page was chosen: a deferred update checks whether the user chose one since. */
export const pageChoices = (): number => choices;
/** Opens the inspector, too. */
export const showPage = (page: InspectorPage): void => {
  choices += 1;
  openPanel('inspector');
  useViewStore.setState({ page });
};
/** For a part that is chosen already: its page is not shown by a change of the selection. An inspector that is closed stays so. */
export const showChosen = (): void => useViewStore.setState({ page: 'selection' });
export const askBandwidth = (linkId: string | undefined): void => useViewStore.setState({ asking: linkId });
export const writeOn = (annotationId: string | undefined): void =>
  useViewStore.setState({ writing: annotationId });
export const connectFrom = (nodeId: string | undefined): void =>
  useViewStore.setState({ connecting: nodeId });
export const focusField = (path: string): void => {
  openPanel('inspector');
  useViewStore.setState((now) => ({ focus: { path, count: (now.focus?.count ?? 0) + 1 } }));
};
/** Shows the node, link or page of an issue, and moves the focus to its field. */
export function goToIssue(issue: LabIssue): void {
  if (issue.nodeId !== undefined) select({ nodes: [issue.nodeId], links: [] });
  else if (issue.linkId !== undefined) select({ nodes: [], links: [issue.linkId] });
  showPage(issue.path.startsWith('experiment') ? 'experiment' : issue.path === 'nodes' ? 'lab' : 'selection');
  focusField(issue.path);
}
export const showDialog = (dialog: Dialog | undefined): void => useViewStore.setState({ dialog });
