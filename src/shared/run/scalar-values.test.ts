import { describe, expect, it } from 'vitest';
import { bestOf, valuesOf } from './scalar-values.ts';

describe('a scalar as one number', () => {
  it('is best where its name says so', () => {
    for (const name of ['loss', 'train/loss', 'valLoss', 'val_loss', 'eval/perplexity', 'loss_epoch'])
      expect([name, bestOf(name)]).toEqual([name, 'lowest']);
    for (const name of ['Acc@1', 'val/accuracy', 'valAcc', 'test_f1', 'eval/BLEU'])
      expect([name, bestOf(name)]).toEqual([name, 'highest']);
    for (const name of ['lr', 'grad_norm', 'loss/accuracy', 'account', 'glossary'])
      expect([name, bestOf(name)]).toEqual([name, undefined]);
  });

  it('is the last, lowest and highest finite value', () => {
    expect(valuesOf([2, null, 0.5, 1, null])).toEqual({ final: 1, lowest: 0.5, highest: 2 });
    expect(valuesOf([3, 1, 2], [3, 4, 1, 2, 1.5, null])).toEqual({ final: 1.5, lowest: 1, highest: 3 });
    expect(valuesOf([null])).toEqual({});
  });
});
