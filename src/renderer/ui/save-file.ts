/** Saves a file that the window made: through main, as exports do, since a desktop window cannot download. */
import { notifications } from '@mantine/notifications';
import type { TFunction } from 'i18next';
import type { LabClient } from '../api/index.ts';
import { downloadByLink } from './download-by-link.ts';

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

/** Says where the host saved it; a browser shows its download itself. Rejects with `cancelled` if the user closed the dialog. */
export async function saveFile(api: LabClient, t: TFunction, name: string, content: Blob): Promise<void> {
  const { url, savedTo, ...delivery } = await api.call('file.save', {
    name,
    base64: await inBase64(content),
  });
  if (url !== undefined) downloadByLink({ url, name: delivery.name });
  if (savedTo !== undefined)
    notifications.show({ title: t('shell.savedTo'), message: savedTo, autoClose: 8000 });
}
