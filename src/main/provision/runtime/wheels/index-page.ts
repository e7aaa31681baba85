/** A package index's pages (PEP 503): where a file of a package is, and its hash. */

/** A page's size: uv's, one of the longest, has 3 MB in 2026. */
export const maxPage = 32 * 1024 ** 2;

/** A package's name as indexes compare it (PEP 503). */
export const normalised = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

/** The address of a package's page. @param index without a trailing slash */
export const pageOf = (index: string, name: string): string => `${index}/${normalised(name)}/`;

export interface IndexedFile {
  readonly url: string;
  /** Undefined where the page has none. */
  readonly sha256: string | undefined;
}

/** @param file as in its name on the index, decoded @param base the page's own address */
export function fileOnPage(page: string, file: string, base: string): IndexedFile | undefined {
  for (const [, link = ''] of page.matchAll(/<a\s[^>]*?href="([^"]{1,2000})"/g)) {
    const [address = '', fragment = ''] = link.replaceAll('&amp;', '&').split('#');
    if (fileName(address) === file)
      return {
        url: new URL(address, base).href,
        sha256: /^sha256=([0-9a-f]{64})$/.exec(fragment)?.[1],
      };
  }
  return undefined;
}

/** The last part of an address, decoded; empty where it cannot be. */
export function fileName(address: string): string {
  try {
    return decodeURIComponent(address.slice(address.lastIndexOf('/') + 1));
  } catch {
    return '';
  }
}
