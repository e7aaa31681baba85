/** Where parts are on the canvas, in the document's pixels, and how far they are moved. */
import type { LabNode } from '../../shared/lab/lab.ts';

export type Positions = Record<string, LabNode['position']>;

export interface Shift {
  readonly dx: number;
  readonly dy: number;
}
