export { columnLabel, tookOf } from './table-columns.tsx';
export { RunTable } from './RunTable.tsx';
