/** The colours of notes and shapes on the drawing: each a token, so that they follow the theme. */
import type { AnnotationColour } from '../../shared/lab/annotation.ts';

export const annotationToken = (colour: AnnotationColour): string => `--rl-note-${colour}`;
export const annotationColour = (colour: AnnotationColour): string => `var(${annotationToken(colour)})`;
