/** Hands something that the window made to the person, as a download. */

/** A name that every file system takes. */
export const fileName = (name: string): string => {
  const safe = name.trim().replace(/[\\/:*?"<>|\p{Cc}]+/gu, '-');
  return safe === '' ? 'lab' : safe.slice(0, 100);
};

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken its own reference once the click was handled.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const saveText = (name: string, text: string, type: string): void =>
  saveFile(name, new Blob([text], { type }));
