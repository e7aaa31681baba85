/** Stores the window's position and size. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Rectangle } from 'electron';
import * as z from 'zod';

const whole = z.number().int();
const WindowState = z.object({
  bounds: z.object({ x: whole, y: whole, width: whole.min(1), height: whole.min(1) }),
  maximized: z.boolean(),
});
export type WindowState = z.infer<typeof WindowState>;

export const smallest = { width: 960, height: 640 };
const defaultSize = { width: 1280, height: 800 };
/** Pixels of the title bar that must be on a screen so that the user can move the window. */
const grip = 80;

/** Undefined where nothing is stored, or it is invalid. */
export function readWindowState(path: string): WindowState | undefined {
  try {
    return WindowState.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Synchronous, since a closing window does not wait. Throws where it cannot be written. */
export function writeWindowState(path: string, state: WindowState): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, JSON.stringify(state));
  renameSync(`${path}.new`, path);
}

/**
 * The window's initial bounds. Without a position the system chooses one: where nothing is stored, or the screen of
 * the stored position is missing.
 */
export function openingBounds(
  state: WindowState | undefined,
  screens: readonly Rectangle[],
): { width: number; height: number; x?: number; y?: number } {
  if (state === undefined) return defaultSize;
  const { x, y } = state.bounds;
  const width = Math.max(smallest.width, state.bounds.width);
  const height = Math.max(smallest.height, state.bounds.height);
  const reachable = screens.some(
    (screen) =>
      x + width >= screen.x + grip &&
      x <= screen.x + screen.width - grip &&
      y >= screen.y &&
      y <= screen.y + screen.height - grip,
  );
  return reachable ? { x, y, width, height } : { width, height };
}
