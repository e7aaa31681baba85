/** Notes and shapes on a drawing. They explain it; runs ignore them. */
import * as z from 'zod';
import { LabId } from './lab-id.ts';
import { paragraphs } from '../base/plain-text.ts';

/** Maximum distance from the drawing's centre: beyond it, pixel arithmetic loses precision. */
export const maxPixels = 1e7;
const Coordinate = z.number().min(-maxPixels).max(maxPixels);

/** A note is text on a sheet; the others are coloured areas behind the nodes, with a label. */
export const AnnotationKind = z.enum(['note', 'rectangle', 'ellipse']);
export type AnnotationKind = z.infer<typeof AnnotationKind>;

export const AnnotationColour = z.enum(['yellow', 'blue', 'green', 'red', 'violet', 'grey']);
export type AnnotationColour = z.infer<typeof AnnotationColour>;

/** In pixels of the drawing, as positions are. */
export const maxAnnotationLength = 20_000;
export const AnnotationLength = z.number().int().min(20).max(maxAnnotationLength);

export const Annotation = z.object({
  id: LabId,
  kind: AnnotationKind,
  /** The upper left corner. */
  position: z.object({ x: Coordinate, y: Coordinate }),
  size: z.object({ width: AnnotationLength, height: AnnotationLength }),
  text: paragraphs(4000),
  colour: AnnotationColour,
  locked: z.boolean().optional(),
});
export type Annotation = z.infer<typeof Annotation>;

export const maxAnnotations = 500;

/** Bottom to top. */
export const Annotations = z
  .array(Annotation)
  .max(maxAnnotations)
  .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'annotation_id_twice');
