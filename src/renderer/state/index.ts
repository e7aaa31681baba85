/** The window's state: slices of zustand, filled by `wire.ts` and `take-event.ts` alone. */
export { asRinglabError, hasLocalNodes, localExample, refreshLabs, refreshRunLabs, wire } from './wire.ts';
export {
  autosave,
  decideConflict,
  openOther,
  saveBeforeLeaving,
  saveNow,
  type ConflictChoice,
} from './autosave.ts';
export {
  asOneStep,
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
  type Selection,
} from './lab.ts';
export { keepText } from './kept/kept-text.ts';
export { keptByLab } from './kept/kept-by-lab.ts';
export { mayNotifyOnDesktop, notifyOnDesktop } from './desktop-notice.ts';
export {
  activeRunId,
  usedByRun,
  dropRun,
  putRun,
  showRun,
  shownRunId,
  sortRuns,
  subscribeLog,
  subscribePoints,
  useActiveRunId,
  useRun,
  useRunStore,
  useShownRunId,
} from './runs.ts';
export { readinessOf, useConnection, useProvisionStore, useReadiness } from './readiness.ts';
export { putClusterFacts, useClusterFacts } from './before-run/cluster-facts.ts';
export { takeSync, useBottleneckLinks, useEstimate } from './before-run/estimate.ts';
export {
  linkStates,
  useIsDrawnOnly,
  useLinkState,
  useLinkStates,
  useLinkTraffic,
  useNetworkState,
} from './network.ts';
export { dropFetch, remainingOf, useFetch } from './runs/fetches.ts';
export { closePrompt, useFirstPrompt, usePromptStore } from './prompts.ts';
export { putSettings, resolveLanguage, useLanguage, useSettingsStore } from './settings.ts';
export { dismissProblem, dropLab, report, reportDropped, useWindowStore } from './window.ts';
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
export { camera, setCamera } from './camera.ts';
export { copySelected, hasCopied, pasteParts, shareCopies } from './clipboard.ts';
export { insertTemplate, templates } from './templates.ts';
export { gridStep } from './new-parts.ts';
export { useNodeStatus } from './node-status.ts';
export {
  askBandwidth,
  connectFrom,
  focusField,
  showChosen,
  goToIssue,
  showDialog,
  pageChoices,
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
export {
  forgetProblems,
  listProblems,
  queueExperiment,
  readyToRun,
  runExperiment,
  useRunStart,
} from './before-run/run-experiment.ts';
export {
  canToggleBeside,
  setDock,
  sideBySideFrom,
  toggleBeside,
  toggleDock,
  togglePanel,
  usePanelOpen,
  type SidePanel,
} from './panels.ts';
export { useNow, useQuarter } from './use-now.ts';
export { onTerminal } from './terminals.ts';
export { annotationIdOf, flowIdOf } from './flow-id.ts';
export { chooseTrainer, type TrainerChoice } from './script/trainer-choice.ts';
export { useScriptFiles, type FolderFiles } from './script/script-files.ts';
export { openScript, useScriptEditor, type OpenScript } from './script/script-editor.ts';
export {
  compare,
  compareWith,
  groupBy,
  mark,
  openRun,
  runPages,
  showParallel,
  showRunDialog,
  showRunPage,
  showRunsView,
  unmark,
  useRunsView,
  type Grouping,
  type RunPage,
  type RunsViewName,
} from './runs/runs-view.ts';
