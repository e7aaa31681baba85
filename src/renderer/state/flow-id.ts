/** The ids of parts in React Flow: a node's own id, an annotation's with a prefix. */
const annotationPrefix = 'annotation:';
/** Annotations have ids of their own in the document; in React Flow they are nodes. */
export const flowIdOf = (annotationId: string): string => annotationPrefix + annotationId;
/** The annotation's id; undefined for the id of a node. */
export const annotationIdOf = (flowId: string): string | undefined =>
  flowId.startsWith(annotationPrefix) ? flowId.slice(annotationPrefix.length) : undefined;
