export { BinDialog } from './BinDialog.tsx';
export { GoOnDialog } from './GoOnDialog.tsx';
export { RunDialogs } from './RunDialogs.tsx';
