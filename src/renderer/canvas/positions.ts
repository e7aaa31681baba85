/** Positions of parts on the canvas, in document pixels, and how far they are moved. */
import type { LabNode } from '../../shared/lab/lab.ts';

export type Positions = Record<string, LabNode['position']>;

export interface Shift {
  readonly dx: number;
  readonly dy: number;
}
