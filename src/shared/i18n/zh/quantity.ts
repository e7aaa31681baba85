/** Units of time behind a number, and what stands between the members of a list, in Chinese. */
import type { durations as english } from '../en/quantity.ts';
import type { Words } from '../words.ts';

export const durations: Words<typeof english> = { d: ' 天', h: ' 小时', min: ' 分', s: ' 秒' };

export const comma = '、';
