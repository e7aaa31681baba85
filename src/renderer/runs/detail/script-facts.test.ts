import { expect, it } from 'vitest';
import { mainScalar, shareOf } from './script-facts.ts';

const scalars = (...names: string[]) => names.map((name) => ({ name, ranks: [] }));

it('the main scalar is a loss of training, else of validation', () => {
  expect(mainScalar(scalars('val/loss', 'train/loss_ce', 'train/loss', 'lr'))).toBe('train/loss');
  expect(mainScalar(scalars('best loss', 'train/loss', 'val/loss'))).toBe('train/loss');
  expect(mainScalar(scalars('val_loss', 'lr'))).toBe('val_loss');
  expect(mainScalar(scalars('lr'))).toBeUndefined();
});

it('the share done is that of the epochs, or of the steps where no epochs are known', () => {
  expect(shareOf({ t: 0, epoch: 3, epochs: 12, step: 9, steps: 10 })).toBe(0.25);
  expect(shareOf({ t: 0, step: 30, steps: 40 })).toBe(0.75);
  expect(shareOf({ t: 0, step: 50, steps: 40 })).toBe(1);
  expect(shareOf({ t: 0, step: 50, epoch: 2 })).toBeUndefined();
});
