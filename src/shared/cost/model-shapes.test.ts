import { describe, expect, it } from 'vitest';
import { architectures, parametersFor } from '../lab/architectures.ts';
import { modelShapes, trainedShapes, type ModelShapes } from './model-shapes.ts';

const found = (shapes: ModelShapes | undefined): ModelShapes => {
  if (shapes === undefined) throw new Error('no such shapes');
  return shapes;
};

describe('the shapes of parameters', () => {
  it('add up to every architecture’s parameters, with 1000 classes and with 10', () => {
    for (const architecture of architectures)
      for (const classes of [1000, 10])
        expect(found(modelShapes(architecture.name, classes)).parameters, architecture.name).toBe(
          parametersFor(architecture, classes),
        );
  });

  it('are unknown for an unknown architecture', () => {
    expect(modelShapes('resnet17', 10)).toBeUndefined();
    expect(trainedShapes('resnet17', 10, 'backbone')).toBeUndefined();
  });

  it('are the last layer’s alone where the backbone is frozen, and no backward pass is computed below it', () => {
    expect(trainedShapes('resnet18', 10, 'backbone')).toMatchObject({
      matrices: [{ rows: 10, columns: 512, count: 1 }],
      vectors: 10,
      parameters: 5130,
      lastBucketBytes: 4 * 5130,
      multiplications: found(modelShapes('resnet18', 10)).multiplications,
      passes: 1,
    });
    // Of googlenet's three heads the auxiliary ones are the backbone's; maxvit_t's last layer has no bias.
    expect(trainedShapes('googlenet', 10, 'layer1,backbone')?.parameters).toBe(10 * 1024 + 10);
    expect(trainedShapes('inception_v3', 10, 'backbone')?.parameters).toBe(10 * 2048 + 10);
    expect(trainedShapes('maxvit_t', 10, 'backbone')?.parameters).toBe(10 * 512);
    for (const { name } of architectures) {
      const { matrices, parameters } = found(trainedShapes(name, 1000, 'backbone'));
      expect(matrices, name).toHaveLength(1);
      expect(parameters, name).toBeLessThan(found(modelShapes(name, 1000)).parameters);
    }
  });

  it('are all where parameters are frozen by name: which ones those are is known on the nodes', () => {
    for (const freeze of ['', 'layer1,layer2'])
      expect(trainedShapes('resnet18', 10, freeze)).toEqual(modelShapes('resnet18', 10));
  });
});
