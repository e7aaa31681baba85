/** How the global batch is divided among ranks, and a rank's share into micro-batches. */

/**
 * Images of a rank's micro-batch. All ranks have the same, as the trainer demands, since every rank's gradient
 * has the same weight in the mean: the remainder is dropped, as in PyTorch's main.py.
 * @param parts number of micro-batches of a rank's share
 */
export const shareOfBatch = (batchSize: number, worldSize: number, parts = 1): number =>
  Math.max(1, Math.floor(batchSize / worldSize / parts));

/** Images that a rank takes in a step: all its micro-batches. */
export const imagesOfStep = (batchSize: number, worldSize: number, parts: number): number =>
  parts * shareOfBatch(batchSize, worldSize, parts);
