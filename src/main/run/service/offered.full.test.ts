/** Full test: the window and the trainer refuse the same sizes of pictures, for every architecture. */
import { describe, it } from 'vitest';
import { architectures } from '../../../shared/lab/architectures.ts';
import { expectSameLimits } from '../testing/picture-limits.ts';
import { trainerIsBuilt } from '../testing/real-services.ts';

describe.skipIf(!trainerIsBuilt)('limits of the image size', () => {
  it.each(architectures)('$name: equal the trainer’s', expectSameLimits);
});
