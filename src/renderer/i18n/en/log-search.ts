/** Texts of the search in all ranks' logs. Owned by src/renderer/runs. */
export const logSearch = {
  all: 'All ranks',
  search: 'Search the logs of all ranks',
  title: 'Lines of all ranks, by time',
  found_one: '{{count}} line',
  found_other: '{{count}} lines',
  foundNewest: '{{count}} lines, the newest {{shown}} are shown',
  time: 'Time of the step that the line reports or follows, since the start',
  open: 'Open the log of rank {{rank}} (line {{number}})',
} as const;
