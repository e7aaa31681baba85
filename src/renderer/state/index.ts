/** The window's state: slices of zustand, filled by `wire.ts` alone. */
export { asRinglabError, firstExample, openLab, wire } from './wire.ts';
export { autosave, decideConflict, saveBeforeLeaving, saveNow } from './autosave.ts';
export {
  closeLab,
  editLab,
  emptySelection,
  redoEdit,
  sealHistory,
  select,
  showLab,
  undoEdit,
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
export {
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
export { dismissProblem, report, useWindowStore } from './window.ts';
export { addNode, duplicateSelected, linkNodes, newLinkKey, removeSelected, selectAll } from './actions.ts';
export { cardSize, gridStep, snap, type LinkRefusal } from './new-parts.ts';
export { nodeStatus, useNodeStatus } from './node-status.ts';
export { askBandwidth, connectFrom, focusField, showPage, useViewStore, type InspectorPage } from './view.ts';
export { dropAllDrafts, dropDraft, putDraft, useDraft, useDraftStore, type Draft } from './drafts.ts';
export { useNow } from './use-now.ts';
