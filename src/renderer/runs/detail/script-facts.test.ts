import { expect, it } from 'vitest';
import { mainScalar, secondsLeft, shareOf } from './script-facts.ts';

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

it('the time left becomes less between two lines of the script, and is unknown long after it is over', () => {
  const progress = { t: 1000, epoch: 1, epochs: 3, remaining: 7200 };
  expect(secondsLeft(progress, 1000)).toBe(7200);
  expect(secondsLeft(progress, 1000 + 3000)).toBe(4200);
  expect(secondsLeft(progress, 1000 + 7300)).toBe(0);
  expect(secondsLeft(progress, 1000 + 14_500)).toBeUndefined();
  expect(secondsLeft({ t: 1000, remaining: 2 }, 1030)).toBe(0);
  expect(secondsLeft({ t: 1000, remaining: 2 }, 1070)).toBeUndefined();
  expect(secondsLeft(progress, 990)).toBe(7200);
  expect(secondsLeft({ t: 1000, epoch: 1 }, 1000)).toBeUndefined();
});
