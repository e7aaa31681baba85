/** Public interface of the dialogs about runs. */
export { BinDialog } from './BinDialog.tsx';
export { GoOnDialog } from './GoOnDialog.tsx';
export { RunDialogs } from './RunDialogs.tsx';
