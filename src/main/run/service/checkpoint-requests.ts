/** The run service's requests about checkpoints. */
import type { RunRecord } from '../../../shared/run/run.ts';
import { makeArtifact } from '../artifacts/artifacts.ts';
import { classifyPicture } from '../artifacts/classify.ts';
import { samplePictures } from '../artifacts/sample-pictures.ts';
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
  classify: async (runId, file, picture, signal) =>
    classifyPicture(services, await get(runId), file, picture, signal),
  samples: async (runId, signal) => samplePictures(services, await get(runId), signal),
});
