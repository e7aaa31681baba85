/** The run service's requests about checkpoints. */
import type { RunRecord } from '../../../shared/run/run.ts';
import { makeArtifact } from '../artifacts/artifacts.ts';
import { classifyImage } from '../artifacts/classify.ts';
import { sampleImages } from '../artifacts/sample-images.ts';
import { verifyCheckpoint } from '../artifacts/verify-checkpoint.ts';
import type { RunServices } from '../record/services.ts';
import type { Runs } from './contract.ts';

export const checkpointRequests = (
  services: RunServices,
  get: (runId: string) => Promise<RunRecord>,
): Pick<Runs, 'artifact' | 'verify' | 'classify' | 'samples'> => ({
  artifact: async (runId, artifact, signal, language) =>
    makeArtifact(services, await get(runId), artifact, signal, language),
  verify: async (runId, file, signal) =>
    verifyCheckpoint((await makeArtifact(services, await get(runId), file, signal)).path, signal),
  classify: async (runId, file, image, signal) =>
    classifyImage(services, await get(runId), file, image, signal),
  samples: async (runId, signal) => sampleImages(services, await get(runId), signal),
});
