/** Full test: the window and the trainer refuse the same sizes of images, for every architecture. */
import { describe, it } from 'vitest';
import { architectures } from '../../../shared/lab/architectures.ts';
import { expectSameLimits } from '../testing/image-limits.ts';
import { trainerIsBuilt } from '../testing/real-services.ts';

describe.skipIf(!trainerIsBuilt)('limits of the image size', () => {
  it.each(architectures)('$name: equal the trainer’s', expectSameLimits);
});
