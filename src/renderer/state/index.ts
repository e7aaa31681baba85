/** The window's state: slices of zustand, filled by `wire.ts` alone. */
export { asRinglabError, firstExample, openLab, refreshLabs, wire } from './wire.ts';
export { autosave, decideConflict, saveBeforeLeaving, saveNow } from './autosave.ts';
export {
  closeLab,
  editLab,
  emptySelection,
  redoEdit,
  sealHistory,
  select,
  selectedCount,
  showLab,
  undoEdit,
  useAnnotation,
  useIssues,
  useLab,
  useLabId,
  useLabStore,
  useLink,
  useNode,
  type SaveState,
  type Selection,
} from './lab.ts';
export type { LabEdit } from './lab-edit.ts';
export { mayTellOnDesktop, tellOnDesktop } from './desktop-notice.ts';
export {
  activeRunId,
  dropRun,
  putRun,
  putSummaries,
  showRun,
  shownRunId,
  sortRuns,
  subscribeLog,
  subscribePoints,
  summarise,
  useActiveRunId,
  useRun,
  useRunStore,
  useShownRunId,
  type LogGrowth,
  type PointBatch,
} from './runs.ts';
export { useConnection, useConnectionStore, useProvisionStore, useReadiness } from './readiness.ts';
export { takeSync, useBottleneckLink, useEstimate, type ShownEstimate } from './estimate.ts';
export { useIsDrawnOnly, useLinkState, useLinkStates, useLinkTraffic, useNetworkState } from './network.ts';
export { closePrompt, useFirstPrompt, usePromptStore } from './prompts.ts';
export { putSettings, resolveLanguage, useLanguage, useSettingsStore } from './settings.ts';
export { dismissProblem, report, reportDropped, useWindowStore } from './window.ts';
export {
  addHosts,
  addNode,
  arrange,
  changeLinks,
  changeNodes,
  duplicateSelected,
  freeGroup,
  groupSelected,
  linkNodes,
  lockSelected,
  newLinkKey,
  removeSelected,
  selectAll,
} from './actions.ts';
export { align, alignments, distribute, layOut, layouts, type Alignment, type Layout } from './arrange.ts';
export { addAnnotation, changeAnnotation } from './annotations.ts';
export { camera, setCamera, type Camera } from './camera.ts';
export { copySelected, hasCopied, pasteParts } from './clipboard.ts';
export { applyEdit } from './lab-edit.ts';
export { insertTemplate, templates, type Template } from './templates.ts';
export { cardSize, defaultBandwidthMbps, gridStep, snap, type LinkRefusal } from './new-parts.ts';
export { nodeStatus, useNodeStatus } from './node-status.ts';
export {
  askBandwidth,
  connectFrom,
  focusField,
  showDialog,
  showPage,
  toggleOverview,
  useOverview,
  useViewStore,
  writeOn,
  type InspectorPage,
} from './view.ts';
export {
  badDrafts,
  dropAllDrafts,
  dropDraft,
  putDraft,
  useDraft,
  useDraftStore,
  type BadDraft,
  type Draft,
} from './drafts.ts';
export { listProblems, runExperiment, useRunStart } from './run-experiment.ts';
export { useNow } from './use-now.ts';
export { onTerminal, type TerminalListener } from './terminals.ts';
export { annotationIdOf, flowIdOf } from './flow-id.ts';
export { frames, type Frame, type Rectangle } from './group-frames.ts';
