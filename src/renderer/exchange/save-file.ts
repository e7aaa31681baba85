/** Saves a file that the window made: through main, as exports do, since a desktop window cannot download. */
import type { Delivery } from '../../shared/contract/api.ts';
import type { LabClient } from '../api/index.ts';
import { downloadByLink } from '../ui/index.ts';

/** A name that is valid in every file system. */
export const fileName = (name: string): string => {
  const safe = name.trim().replace(/[\\/:*?"<>|\p{Cc}]+/gu, '-');
  return safe === '' ? 'lab' : safe.slice(0, 100);
};

const inBase64 = (content: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () =>
      resolve(typeof reader.result === 'string' ? (reader.result.split(',', 2)[1] ?? '') : '');
    reader.onerror = () => reject(reader.error ?? new Error('the content cannot be read'));
    reader.readAsDataURL(content);
  });

/** Resolves with the file's path. Rejects with `cancelled` if the user closed the dialog. */
export async function saveFile(api: LabClient, name: string, content: Blob): Promise<Delivery> {
  const delivery = await api.call('file.save', { name, base64: await inBase64(content) });
  if (delivery.url !== undefined) downloadByLink({ url: delivery.url, name: delivery.name });
  return delivery;
}
