/** Exports an artifact of a run: main fetches it, then the browser downloads it or the host has saved it. */
import type { Delivery, LabApi } from '../../shared/contract/api.ts';
import type { Language } from '../../shared/base/language.ts';
import type { ExportedFile } from '../../shared/run/run.ts';

export interface Receiver {
  /** Makes the browser download from `url`. */
  download(delivery: Delivery & { readonly url: string }): void;
  /** Shows where the host saved the file. */
  saved(delivery: Delivery & { readonly savedTo: string }): void;
}

/** Rejects as `run.export` does; with `cancelled` if the user closed the dialog. */
export async function exportArtifact(
  api: Pick<LabApi, 'call'>,
  runId: string,
  artifact: ExportedFile,
  receiver: Receiver,
  signal?: AbortSignal,
  language?: Language,
): Promise<Delivery> {
  const delivery = await api.call('run.export', { runId, artifact, language }, signal);
  const { url, savedTo } = delivery;
  if (url !== undefined) receiver.download({ ...delivery, url });
  else if (savedTo !== undefined) receiver.saved({ ...delivery, savedTo });
  return delivery;
}
