export { columnLabel, tookOf } from './table-columns.tsx';
export { BinDialog } from './TableTools.tsx';
export { RunTable } from './RunTable.tsx';
