/** Texts of the search in all ranks' logs. Owned by src/renderer/runs. */
export const logSearch = {
  all: 'All ranks',
  search: 'Search the logs of all ranks',
  title: 'Lines of all ranks, by time',
  found_one: '{{count}} line',
  found_other: '{{count}} lines',
  foundNewest: '{{count}} lines, the newest {{shown}} are shown',
  beyond_one: 'Only the first {{bytes}} of a log are searched: that of rank {{ranks}} is longer',
  beyond_other: 'Only the first {{bytes}} of a log are searched: those of ranks {{ranks}} are longer',
  time: 'Time of the step that the line reports or follows, since the start',
  open: 'Open the log of rank {{rank}} (line {{number}})',
} as const;
