/** Main's prompts that wait for the user, oldest first. */
import { create } from 'zustand';
import type { Prompt } from '../../shared/contract/prompts.ts';

export const usePromptStore = create<{ readonly open: readonly Prompt[] }>(() => ({ open: [] }));

export const putPrompt = (prompt: Prompt): void =>
  usePromptStore.setState((now) => ({ open: [...now.open.filter((one) => one.id !== prompt.id), prompt] }));
export const closePrompt = (promptId: string): void =>
  usePromptStore.setState((now) => ({ open: now.open.filter((one) => one.id !== promptId) }));
export const putAllPrompts = (open: readonly Prompt[]): void => usePromptStore.setState({ open });
export const useFirstPrompt = (): Prompt | undefined => usePromptStore((state) => state.open[0]);
