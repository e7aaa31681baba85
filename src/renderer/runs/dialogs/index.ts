export { GoOnDialog } from './GoOnDialog.tsx';
export { SweepDialog } from './SweepDialog.tsx';
export { CommandsDialog } from './CommandsDialog.tsx';
export { EditDialog } from './EditDialog.tsx';
export { WatchDialog } from './WatchDialog.tsx';
