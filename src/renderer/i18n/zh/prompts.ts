export const prompts = {};
