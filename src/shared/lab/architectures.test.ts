import { describe, expect, it } from 'vitest';
import { architectureShapes } from '../cost/architecture-shapes.ts';
import { architectures, findArchitecture, likeNames, nearestSizes } from './architectures.ts';

describe('the architectures', () => {
  it('are torchvision’s 80 classifiers, each with its shapes', () => {
    expect(architectures).toHaveLength(80);
    for (const { name } of architectures) expect(architectureShapes[name], name).toBeDefined();
  });

  it('are suggested for a wrong name, whatever its case and dashes', () => {
    expect(likeNames('ResNet-18')).toEqual(['resnet18']);
    expect(likeNames('Swin V2 B')).toEqual(['swin_v2_b']);
    expect(likeNames('RegNetY-128')).toEqual(['regnet_y_128gf']);
    expect(likeNames('unheard')).toContain('MaxViT');
  });

  it('define their image sizes', () => {
    const sizesOf = (name: string, size: number) => {
      const architecture = findArchitecture(name);
      return architecture && nearestSizes(architecture, size);
    };
    expect(sizesOf('maxvit_t', 256)).toEqual([224, 448]);
    expect(sizesOf('vit_h_14', 224)).toBeUndefined();
    expect(sizesOf('swin_t', 70)).toBeUndefined();
  });
});
