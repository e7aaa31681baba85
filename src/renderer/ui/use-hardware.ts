/** A node's hardware in words: what was found, or what is drawn, which is marked as a wish. */
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { LabDocument, LabNode } from '../../shared/lab/lab.ts';
import { foundHardware, type Hardware } from '../../shared/node/hardware.ts';
import { drawnParts, foundParts } from '../../shared/drawing/part-labels.ts';
import { clusterOf } from '../../shared/lab/reached.ts';
import { readinessOf, useLabId, useLabStore, useReadiness, useWindowStore } from '../state/index.ts';

export interface ShownHardware {
  readonly text: string;
  /** Undefined where nobody has looked yet. */
  readonly found: Hardware | undefined;
  /** The sentence that says where the text comes from. */
  readonly source: string;
}

/** What a picture says of a node's hardware: what was found, as the card says, or what is drawn; undefined for a switch. */
export function hardwareNow(lab: LabDocument, node: LabNode, t: TFunction): string | undefined {
  const drawn = drawnParts(node);
  if (drawn === undefined || clusterOf(lab) !== undefined) return drawn;
  const { info } = useWindowStore.getState();
  const found = foundHardware(node, readinessOf(lab.id, node.id)?.facts, info?.hardware);
  return found === undefined ? drawn : foundText(node, found, t);
}

function foundText(node: LabNode, found: Hardware, t: TFunction): string {
  const parts = foundParts(found);
  // What was drawn as a GPU node and has none says so.
  const lacksGpu = node.kind === 'gpu' && found.gpus.length === 0;
  return lacksGpu ? `${t('inspector.hardware.noGpu')} · ${parts}` : parts;
}

/** Undefined for a switch. */
export function useHardware(node: LabNode): ShownHardware | undefined {
  const { t } = useTranslation();
  const facts = useReadiness(useLabId(), node.id)?.facts;
  const thisComputer = useWindowStore((state) => state.info?.hardware);
  const isJob = useLabStore(({ lab }) => lab !== undefined && clusterOf(lab) !== undefined);
  const drawn = drawnParts(node);
  if (drawn === undefined) return undefined;
  if (isJob) return { text: drawn, found: undefined, source: t('inspector.hardware.job') };
  const found = foundHardware(node, facts, thisComputer);
  if (found === undefined)
    return { text: t('inspector.hardware.wish', { drawn }), found, source: t('inspector.hardware.wishHelp') };
  return {
    text: foundText(node, found, t),
    found,
    source: t(node.access.type === 'local' ? 'inspector.hardware.thisComputer' : 'inspector.hardware.found'),
  };
}
