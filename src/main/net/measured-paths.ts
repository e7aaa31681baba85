/** Stores measurements of each lab's paths while they are valid. */
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { PathMeasure } from '../../shared/node/network.ts';
import { besideDrawn, type Measurement } from './paths.ts';

/** Other load on this computer changes the results: measured again after this time. */
const rememberedSeconds = 600;

export interface MeasuredPaths {
  /** With the drawn values. */
  of(lab: LabDocument): PathMeasure[];
  /** Undefined where the measurements are too old. */
  recent(labId: string): readonly Measurement[] | undefined;
  put(labId: string, measurements: readonly Measurement[]): void;
  /** Removes measurements over links that have changed. */
  forgetLinks(lab: LabDocument, linkIds: readonly string[]): void;
  forget(labId: string): void;
}

export function createMeasuredPaths(): MeasuredPaths {
  /** `at`: Unix seconds. */
  const measured = new Map<string, { readonly of: readonly Measurement[]; readonly at: number }>();
  return {
    of(lab) {
      const found = measured.get(lab.id);
      return found === undefined ? [] : besideDrawn(lab, found.of, found.at);
    },
    recent(labId) {
      const found = measured.get(labId);
      return found !== undefined && Date.now() / 1000 - found.at < rememberedSeconds ? found.of : undefined;
    },
    put(labId, measurements) {
      measured.set(labId, { of: measurements, at: Date.now() / 1000 });
    },
    forgetLinks(lab, linkIds) {
      const found = measured.get(lab.id);
      if (found === undefined) return;
      const isGone = (one: Measurement): boolean =>
        besideDrawn(lab, [one], 0).some((path) => path.linkIds.some((id) => linkIds.includes(id)));
      measured.set(lab.id, { ...found, of: found.of.filter((one) => !isGone(one)) });
    },
    forget(labId) {
      measured.delete(labId);
    },
  };
}
