// @vitest-environment jsdom
/** Which keys start a command, on keyboards of other layouts and systems. */
import { afterEach, describe, expect, it, vi } from 'vitest';

type Pressed = Partial<Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>>;
const press = (key: string, code: string, held: Pressed = { ctrlKey: true }): KeyboardEvent =>
  new KeyboardEvent('keydown', { key, code, ...held });

async function matcher(platform: string): Promise<(keys: string, event: KeyboardEvent) => boolean> {
  vi.resetModules();
  vi.stubGlobal('navigator', { platform });
  return (await import('./command.ts')).isPressed;
}
afterEach(() => vi.unstubAllGlobals());

describe('keys', () => {
  it('are letters as typed: cutting and pasting on Dvorak and Colemak toggles no panel', async () => {
    const isPressed = await matcher('Linux x86_64');
    expect(isPressed('Mod+B', press('x', 'KeyB'))).toBe(false);
    expect(isPressed('Mod+B', press('v', 'KeyB'))).toBe(false);
    expect(isPressed('Mod+B', press('b', 'KeyN'))).toBe(true);
    // Dvorak's semicolon, AZERTY's W and semicolon.
    expect(isPressed('Mod+Z', press(';', 'KeyZ'))).toBe(false);
    expect(isPressed('Mod+Z', press('w', 'KeyZ'))).toBe(false);
    expect(isPressed('Mod+,', press(';', 'Comma'))).toBe(false);
  });

  it('are letters by their position where the keyboard types no Latin one', async () => {
    const isPressed = await matcher('Linux x86_64');
    expect(isPressed('Mod+B', press('и', 'KeyB'))).toBe(true);
    for (const [key, typed] of Object.entries({ Z: 'я', D: 'в', A: 'ش', S: 'ד', G: 'γ', K: 'л', J: 'о' }))
      expect(isPressed(`Mod+${key}`, press(typed, `Key${key}`))).toBe(true);
    expect(isPressed('Mod+,', press('б', 'Comma'))).toBe(true);
    expect(isPressed('Mod+`', press('ё', 'Backquote'))).toBe(true);
    expect(isPressed('Shift+1', press('!', 'Digit1', { shiftKey: true }))).toBe(true);
  });

  it('with ⌘ on a Mac leave Ctrl to its text fields', async () => {
    const isPressed = await matcher('MacIntel');
    expect(isPressed('Mod+D', press('d', 'KeyD'))).toBe(false);
    expect(isPressed('Mod+D', press('d', 'KeyD', { metaKey: true }))).toBe(true);
    expect(isPressed('Mod+D', press('d', 'KeyD', { metaKey: true, ctrlKey: true }))).toBe(false);
    expect(isPressed('Mod+Alt+B', press('∫', 'KeyB', { metaKey: true, altKey: true }))).toBe(true);
  });

  it('with Ctrl elsewhere leave the Windows key to the system', async () => {
    const isPressed = await matcher('Win32');
    expect(isPressed('Mod+D', press('d', 'KeyD', { metaKey: true }))).toBe(false);
    expect(isPressed('Mod+D', press('d', 'KeyD'))).toBe(true);
  });
});
