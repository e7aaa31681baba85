/** The window refuses the sizes of pictures that the trainer refuses, for every architecture: a process each. */
import { describe, it } from 'vitest';
import { architectures } from '../../../shared/lab/architectures.ts';
import { expectSameLimits } from '../testing/picture-limits.ts';
import { trainerIsBuilt } from '../testing/real-services.ts';

describe.skipIf(!trainerIsBuilt)('limits of the size of pictures', () => {
  it.each(architectures)('$name: are the trainer’s', expectSameLimits);
});
