export { Inspector } from './Inspector.tsx';
export { ConnectionWait } from './ConnectionWait.tsx';
export { Diagnoses } from './Diagnoses.tsx';
export { ErrorNote } from './ErrorNote.tsx';
export { NumberField, TextField } from './fields.tsx';
export { checkNumber, checkText } from './field-value.ts';
export { useIssueWords } from './issue-words.ts';
export { useSyncWords } from './sync-words.ts';
export { readinessLook, StepList } from './StepList.tsx';
