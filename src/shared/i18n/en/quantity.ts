/** Units of time behind a number, and what stands between the members of a list. */
export const durations = { d: ' d', h: ' h', min: ' min', s: ' s' } as const;

export const comma = ', ';
