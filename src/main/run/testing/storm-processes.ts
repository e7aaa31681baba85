/** For the storm test: processes that are at work below a folder, found through /proc. */
import { readdir, readlink } from 'node:fs/promises';

/** Processes of which one of these links in /proc leads below a folder. */
async function leading(folder: string, linksOf: (name: string) => Promise<string[]>): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const links = await linksOf(name);
    const targets = await Promise.all(links.map((link) => readlink(`/proc/${name}/${link}`).catch(() => '')));
    if (targets.some((target) => `${target}/`.startsWith(`${folder}/`))) found.push(Number(name));
  }
  return found;
}

/** Processes whose working directory is below a folder. */
export const below = (folder: string): Promise<number[]> => leading(folder, () => Promise.resolve(['cwd']));

/** Processes with a file open below a folder, or at work there. */
export const usersOf = (folder: string): Promise<number[]> =>
  leading(folder, async (name) => {
    const files = await readdir(`/proc/${name}/fd`).catch(() => []);
    return ['cwd', ...files.map((file) => `fd/${file}`)];
  });

export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
};
