/** The ids of parts in React Flow: a node's own, a note's with a prefix. */
const annotationPrefix = 'annotation:';
/** Notes have ids of their own in the document; for React Flow they are nodes. */
export const flowIdOf = (annotationId: string): string => annotationPrefix + annotationId;
/** The annotation's id; undefined where the id is a node's. */
export const annotationIdOf = (flowId: string): string | undefined =>
  flowId.startsWith(annotationPrefix) ? flowId.slice(annotationPrefix.length) : undefined;
