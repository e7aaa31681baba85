/** Words of charts, nodes' live values, runs, logs and export. Owned by src/renderer/{charts,nodes,runs}. */
export const runs = {} as const;
