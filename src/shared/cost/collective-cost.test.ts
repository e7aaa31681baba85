import { describe, expect, it } from 'vitest';
import { normsCost, powerSgdNumbers, syncCost } from './collective-cost.ts';
import { modelShapes, trainedShapes, type ModelShapes } from './model-shapes.ts';

const shapesOf = (name: string, classes = 1000): ModelShapes => {
  const shapes = modelShapes(name, classes);
  if (shapes === undefined) throw new Error(`no shapes of ${name}`);
  return shapes;
};
/** Payload that a rank sends in one exchange. */
const sent = (sync: string, ranks = 3, name = 'resnet18', classes = 1000): number => {
  const cost = syncCost(sync, shapesOf(name, classes), ranks);
  if (cost === undefined) throw new Error(`${sync} is no mode`);
  return cost.exchange.ringBytes + cost.exchange.pairBytes * (ranks - 1);
};

describe('bytes of an exchange', () => {
  it('are those of the ring: 62.3 MB per node for resnet18 at three ranks, half of it as fp16', () => {
    expect(sent('allreduce') / 1e6).toBeCloseTo(62.34, 1);
    expect(sent('fp16') / sent('allreduce')).toBeCloseTo(0.5, 6);
    expect(sent('bf16')).toBe(sent('fp16'));
  });

  it('are those of PowerSGD’s factors and of uncompressed parameters', () => {
    const bytes = (rank: number): number => {
      const { left, right, plain } = powerSgdNumbers(shapesOf('resnet18'), rank);
      return 4 * (left + right + plain);
    };
    expect([bytes(1), bytes(2), bytes(4)].map((count) => Math.round(count / 1000))).toEqual([192, 342, 641]);
    // Measured by the trainer's counter at three ranks and ten classes, without the flags' eight bytes.
    expect(Math.round(sent('powersgd:2', 3, 'resnet18', 10))).toBe(440_000);
  });

  it('limit the rank by the matrix, and stay uncompressed where nothing is saved', () => {
    const tiny: ModelShapes = {
      matrices: [
        { rows: 3, columns: 1000, count: 2 },
        { rows: 4, columns: 4, count: 1 },
      ],
      vectors: 7,
      parameters: 6023,
      norms: { layers: 0, channels: 0 },
      multiplications: 0,
      atSize: 224,
      passes: 3,
      lastBucketBytes: 0,
    };
    expect(powerSgdNumbers(tiny, 2)).toEqual({ left: 12, right: 4000, plain: 7 + 16 });
    // The first matrix has only three columns of three rows: 3 × 1003 numbers instead of 3000 are no gain.
    expect(powerSgdNumbers(tiny, 8)).toEqual({ left: 0, right: 0, plain: 6023 });
  });

  it('decrease little with small shapes: mobilenet_v2 and densenet121', () => {
    const ratio = (name: string): number => sent('allreduce', 3, name) / sent('powersgd:1', 3, name);
    expect(ratio('mobilenet_v2')).toBeCloseTo(55, -1);
    expect(ratio('densenet121')).toBeCloseTo(40, -1);
    expect(ratio('vgg16')).toBeGreaterThan(1200);
  });

  it('are four for each value of top-k, sent to all', () => {
    expect(sent('topk:0.01', 4) / (3 * 4 * 0.01 * 11_689_512)).toBeCloseTo(1, 2);
  });

  it('are equal for local steps, once per period, in the mode’s encoding', () => {
    const model = shapesOf('resnet18');
    expect(syncCost('local:8', model, 3)).toMatchObject({ period: 8, besideBackward: false });
    expect(sent('local:8')).toBe(sent('allreduce'));
    expect(sent('diloco:8') / sent('allreduce')).toBeCloseTo(1 / 8, 1);
    expect(sent('diloco:8,8bit') / sent('allreduce')).toBeCloseTo(1 / 4, 1);
    // Half a bit in place of 32; biases and batch norms as they are.
    expect(sent('allreduce') / sent('local:16,sparse=0.5')).toBeCloseTo(60.5, 0);
    expect(sent('diloco:8,2')).toBe(sent('powersgd:2'));
    expect(sent('diloco:8,fp32')).toBe(sent('allreduce'));
    expect(sent('diloco:8,2,fp16')).toBeCloseTo(sent('powersgd:2') / 2, 0);
    expect(syncCost('diloco:8,fragments=2,overlap=3', model, 3)?.overlapSteps).toBe(6);
  });

  it('are as many bits as a streamed average says, its vectors counted, and overlap with the next steps', () => {
    expect(sent('allreduce') / sent('local:1,stream=0.16,overlap=1')).toBeCloseTo(200, 0);
    // Measured by the trainer's counter at three ranks and ten classes: what it sends a step, without the flags.
    expect(sent('local:1,stream=0.145,overlap=1', 3, 'resnet18', 10) / 270_232).toBeCloseTo(1, 2);
    // Of mobilenet_v2's 0.1 bits the vectors would take all: they take what they need, and matrices half.
    expect(sent('local:1,stream=0.1', 3, 'mobilenet_v2')).toBeGreaterThan(
      (4 / 3) * 2 * shapesOf('mobilenet_v2').vectors,
    );
    expect(syncCost('local:2,stream=0.2,overlap=2', shapesOf('resnet18'), 3)).toMatchObject({
      period: 2,
      overlapSteps: 2,
      besideBackward: false,
    });
  });

  it('are the last layer’s alone where the backbone is frozen, in one message', () => {
    const head = trainedShapes('resnet18', 10, 'backbone');
    if (head === undefined) throw new Error('no shapes of resnet18');
    // Measured by the trainer's counter at three ranks: 27,370 bytes with the flags.
    expect(syncCost('allreduce', head, 3)?.exchange).toMatchObject({
      ringBytes: 27_360,
      rounds: 4,
      lastShare: 1,
    });
  });

  it('are means, variances and counts of batch norms over all ranks, and two sums for each channel from backward', () => {
    const shapes = shapesOf('shufflenet_v2_x0_5', 10);
    const bytes = (ranks: number, batches = 1, of = shapes): number =>
      Math.floor(normsCost(of, ranks, batches).ringBytes);
    // Measured by the trainer's counter: what a step of --sync-bn sends more than one without.
    expect(bytes(2)).toBe(1_472_016 - 1_408_176);
    expect(bytes(3)).toBe(1_984_041 - 1_877_567);
    expect(bytes(2, 4)).toBe(4 * bytes(2));
    // A norm waits for one round of a gather and two of a sum, each announced and answered before it is sent.
    expect(normsCost(shapes, 2, 1).delays).toBe(56 * 3 * 2);
    const head = trainedShapes('shufflenet_v2_x0_5', 10, 'backbone');
    if (head === undefined) throw new Error('no shapes');
    expect(normsCost(head, 2, 1).delays).toBe(56 * 1 * 2);
    expect(bytes(2, 1, head)).toBe(4 * (2 * 3976 + 56));
    expect(normsCost(shapesOf('vit_b_16'), 3, 1)).toMatchObject({ ringBytes: 0, rounds: 0 });
  });

  it('are undefined for an invalid mode, or one that is chosen elsewhere', () => {
    expect(syncCost('powersgd:0', shapesOf('resnet18'), 3)).toBeUndefined();
    expect(syncCost('auto', shapesOf('resnet18'), 3)).toBeUndefined();
  });
});
