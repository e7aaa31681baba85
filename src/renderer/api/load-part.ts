/** Loads parts of the window that are not needed from the start. */

/**
 * In milliseconds. Where the computer's network changes (a VPN, links that this app emulates), browsers end all requests, also
 * those to this computer.
 */
const pauses = [200, 800, 3000];

/** Rejects as the last try does. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  for (const pause of pauses) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => {
        setTimeout(resolve, pause);
      });
    }
  }
  return load();
}
