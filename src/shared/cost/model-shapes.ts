/** The parameters of a model that an experiment trains, by their shapes, and how much of it a step computes. Pure. */
import { architectureShapes } from './architecture-shapes.ts';

/** A model's parameters as the collectives group them. */
export interface ModelShapes {
  /** Tensors of two dimensions and more; rows are the first dimension. */
  readonly matrices: readonly { readonly rows: number; readonly columns: number; readonly count: number }[];
  /** Elements in one-dimensional tensors. */
  readonly vectors: number;
  readonly parameters: number;
  readonly norms: { readonly layers: number; readonly channels: number };
  /** Multiplications of a forward pass for one image of `atSize` pixels a side. */
  readonly multiplications: number;
  readonly atSize: number;
  /** Of what a step computes, in forward passes: backward takes as long as two. */
  readonly passes: number;
  /** Bytes of gradients that are complete only when backward ends. */
  readonly lastBucketBytes: number;
}

const known = new Map<string, ModelShapes>();

/** Undefined for an unknown architecture. */
export function modelShapes(architecture: string, classes: number): ModelShapes | undefined {
  const key = `${architecture} ${classes}`;
  const row = architectureShapes[architecture];
  if (row === undefined) return undefined;
  let shapes = known.get(key);
  if (shapes === undefined) {
    const [millions, lastBucketBytes, plain, classVectors, layers, channels, text] = row;
    const matrices = text.split(' ').map((word) => {
      const [, count = '1', rows = '', columns = ''] = /^(?:(\d+)\*)?(\d+|k)×(\d+)$/.exec(word) ?? [];
      return {
        rows: rows === 'k' ? classes : Number(rows),
        columns: Number(columns),
        count: Number(count),
      };
    });
    const vectors = plain + classVectors * classes;
    const parameters = matrices.reduce(
      (sum, { rows, columns, count }) => sum + rows * columns * count,
      vectors,
    );
    shapes = {
      matrices,
      vectors,
      parameters,
      norms: { layers, channels },
      multiplications: millions * 1e6,
      atSize: architecture === 'inception_v3' ? 299 : 224,
      passes: 3,
      lastBucketBytes: Math.min(lastBucketBytes, 4 * parameters),
    };
    known.set(key, shapes);
  }
  return shapes;
}

/** In a list of frozen parameters: all but the last layer's. */
const backbone = 'backbone';
const namesIn = (freeze: string): readonly string[] => freeze.split(',').filter((name) => name !== '');

export const isBackboneFrozen = (freeze: string): boolean => namesIn(freeze).includes(backbone);
/** Whether more is frozen than is known here: of single parameters and modules the shapes have no names. */
export const isFrozenByName = (freeze: string): boolean =>
  namesIn(freeze).length > 0 && !isBackboneFrozen(freeze);

/**
 * Of what is not frozen: the rest gets no gradient and is not exchanged. Parameters that are frozen by name count as
 * trained. Undefined for an unknown architecture.
 * @param freeze as in `--freeze`: native/models/freeze.cpp
 */
export function trainedShapes(
  architecture: string,
  classes: number,
  freeze: string,
): ModelShapes | undefined {
  const whole = modelShapes(architecture, classes);
  const last = whole?.matrices.at(-1);
  if (whole === undefined || last === undefined || !isBackboneFrozen(freeze)) return whole;
  const [, , , classVectors = 0] = architectureShapes[architecture] ?? [];
  // Auxiliary heads have a vector for each class, too, and are frozen.
  const vectors = Math.min(1, classVectors) * classes;
  const parameters = last.rows * last.columns + vectors;
  return {
    ...whole,
    matrices: [{ ...last, count: 1 }],
    vectors,
    parameters,
    // Gradients of the last layer alone take next to nothing.
    passes: 1,
    lastBucketBytes: 4 * parameters,
  };
}
