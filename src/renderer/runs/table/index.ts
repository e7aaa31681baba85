/** Public interface of the table of runs. */
export { columnLabel } from './table-columns.tsx';
export { useScalarValues } from './use-scalar-values.ts';
export { namesIn } from './scalar-columns.ts';
export { RunTable } from './RunTable.tsx';
