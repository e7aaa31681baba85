/** Public interface of what every panel uses: fields, notes, labels, and how numbers are written. */
export {
  ChoiceField,
  FieldGroup,
  FieldRow,
  NumberField,
  SwitchField,
  TextField,
  useRequestedFocus,
} from './fields.tsx';
export { isFieldOf } from './field-path.ts';
export { followFocus, useFocusBack } from './focus-back.ts';
export {
  formatBytes,
  formatClock,
  formatDuration,
  formatMoment,
  formatNumber,
  formatPercent,
  formatQuantity,
  formatSecond,
  type Unit,
} from '../../shared/i18n/quantity.ts';
export { CheckedInput, useComplaint } from './complaint.tsx';
export { RunName } from './RunName.tsx';
export { shownName } from './shown-name.ts';
export { StateLabel } from './StateLabel.tsx';
export { offerUndo } from './offer-undo.tsx';
export { useFoldersBeside } from './use-folders-beside.ts';
export { useSize } from './use-size.ts';
export { useWindowSize } from './use-window-size.ts';
export { useFieldIssue, useIssueText } from './issue-words.ts';
export { askBeforeDestroying, DestructiveQuestion } from './DestructiveQuestion.tsx';
export { EmptyNote } from './EmptyNote.tsx';
export { ErrorNote } from './ErrorNote.tsx';
export { AccuracyCost } from './AccuracyCost.tsx';
export { useModeText } from './sync-words.ts';
export { formatCount } from './format-count.ts';
export { keptState } from './kept-state.ts';
export { clearOnEscape } from './clear-on-escape.ts';
export { checkNumber, isWhole } from './field-value.ts';
export { pngScale, svgToPng } from './svg-to-png.ts';
export { downloadByLink } from './download-by-link.ts';
export { fileName, saveFile } from './save-file.ts';
export { hardwareNow, useHardware } from './use-hardware.ts';
export { namedPatternReason, patternReason } from './pattern-reason.ts';
export { visibleRows } from './visible-rows.ts';
