/** Actions on the notes and shapes of the drawing. */
import type { Annotation, AnnotationKind } from '../../shared/lab/annotation.ts';
import { editLab, insertInLab, select, useLabStore } from './lab.ts';
import { freeId, gridStep, snap } from './new-parts.ts';
import { writeOn } from './view.ts';

/** Multiples of the grid step; an area has room for two cards. */
const sizes = {
  note: { width: 200, height: 80 },
  rectangle: { width: 480, height: 280 },
  ellipse: { width: 480, height: 320 },
} as const satisfies Record<AnnotationKind, Annotation['size']>;
const colours = { note: 'yellow', rectangle: 'blue', ellipse: 'green' } as const;

/** The asked corner, or one down and right of it: two that are added in the middle would lie exactly over one another. */
function freeCorner(all: readonly Annotation[], asked: Annotation['position']): Annotation['position'] {
  const taken = new Set(all.map(({ position }) => `${position.x} ${position.y}`));
  let at = snap(asked);
  while (taken.has(`${at.x} ${at.y}`)) at = { x: at.x + 2 * gridStep, y: at.y + 2 * gridStep };
  return at;
}

/** Adds an annotation with its middle at `centre`, selects it, and starts editing its text. */
export function addAnnotation(kind: AnnotationKind, centre: { x: number; y: number }): void {
  const { lab } = useLabStore.getState();
  if (lab === undefined) return;
  const all = lab.annotations ?? [];
  const size = sizes[kind];
  const annotation: Annotation = {
    id: freeId(new Set(all.map(({ id }) => id)), 'a'),
    kind,
    position: freeCorner(all, { x: centre.x - size.width / 2, y: centre.y - size.height / 2 }),
    size,
    text: '',
    colour: colours[kind],
  };
  const placed = [{ index: all.length, item: annotation }];
  if (!insertInLab({ type: 'insert', nodes: [], links: [], annotations: placed })) return;
  select({ nodes: [], links: [], annotations: [annotation.id] });
  writeOn(annotation.id);
}

/** @param key merges consecutive edits of one field into one undo step */
export function changeAnnotation(
  annotationId: string,
  change: Partial<Omit<Annotation, 'id'>>,
  key?: keyof Annotation,
): void {
  editLab(
    { type: 'annotation', annotationId, change },
    key === undefined ? undefined : `annotation.${annotationId}.${key}`,
  );
}
