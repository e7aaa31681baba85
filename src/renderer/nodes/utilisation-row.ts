/** One quantity of a node with its recent curve: `values` oldest first, `full` the value at the top of the curve. */
export interface RowProps {
  readonly name: string;
  readonly value: string;
  readonly values: readonly (number | null | undefined)[];
  readonly full: number;
}
