/** The type of a command: an action that the user can start by key, from a menu or from the command palette. */
import type { Icon } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { isTyped, typesOtherScript } from '../../shared/base/typed-letter.ts';
import type { LabClient } from '../api/index.ts';
import type { commands as texts } from '../i18n/en/commands.ts';
import type { LabActions } from './lab-actions.ts';

export type CommandId = keyof typeof texts.name;
type CommandSection = keyof typeof texts.section;

export interface CommandContext {
  readonly api: LabClient;
  readonly t: TFunction;
  readonly labs: LabActions;
  /** Where on the canvas the command was started, in document pixels. */
  readonly at?: { readonly x: number; readonly y: number } | undefined;
}

export interface Command {
  readonly id: CommandId;
  readonly section: CommandSection;
  readonly Icon: Icon;
  /** 'Mod+Shift+Z': Mod is Ctrl, or ⌘ on a Mac. */
  readonly keys?: string;
  /** Keys that other programs use for the same. */
  readonly otherKeys?: string;
  /** The browser turns the keys into an event of its own (copy, cut, paste). */
  readonly byBrowser?: boolean;
  /** It deletes: menus show it in the colour of failures. */
  readonly isDestructive?: boolean;
  /** Whether the command is possible in the current state; always by default. */
  readonly isPossible?: () => boolean;
  run(context: CommandContext): void;
}

const isMac = /mac/i.test(navigator.platform);

/** The keys as shown to users: 'Ctrl+Shift+Z', '⇧⌘Z'. */
export function keysInWords(keys: string): string {
  if (!isMac) return keys.replace('Mod', 'Ctrl');
  return keys
    .split('+')
    .map((part) => ({ Mod: '⌘', Shift: '⇧', Alt: '⌥' })[part] ?? part)
    .join('');
}

/**
 * Whether an event matches these keys. Digits and punctuation match by key position, as Shift changes their characters; '?' matches
 * as typed, since keyboards have it at different positions. A letter matches by position where no Latin one is typed: on Dvorak
 * the key of B is X.
 */
export function isPressed(keys: string, event: KeyboardEvent): boolean {
  if (keys === '?') return event.key === '?' && !event.ctrlKey && !event.metaKey && !event.altKey;
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  const wants = (part: string): boolean => parts.slice(0, -1).includes(part);
  const [mod, other] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  return (
    mod === wants('Mod') &&
    !other &&
    event.shiftKey === wants('Shift') &&
    event.altKey === wants('Alt') &&
    (isTyped(key, event) || isAtPlace(key, event))
  );
}

const codes: Readonly<Record<string, string>> = { '1': 'Digit1', '2': 'Digit2', '`': 'Backquote' };

function isAtPlace(key: string, event: KeyboardEvent): boolean {
  // Of Ctrl+, only another script's letter is meant: AZERTY has a semicolon there.
  if (key === ',') return event.code === 'Comma' && typesOtherScript(event);
  if (/^[a-z]$/i.test(event.key)) return false;
  // With ⌥ a Mac types signs in place of letters.
  return event.code === (event.altKey && /^[A-Z]$/.test(key) ? `Key${key}` : codes[key]);
}
