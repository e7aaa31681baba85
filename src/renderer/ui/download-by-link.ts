/** Clicks a link with `download`, which the browser answers with its own dialog or folder. */
export function downloadByLink({ url, name }: { readonly url: string; readonly name: string }): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.rel = 'noopener';
  document.body.append(link);
  link.click();
  link.remove();
}
