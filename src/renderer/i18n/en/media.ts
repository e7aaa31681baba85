/** Texts of histograms and pictures that a script logged. Owned by src/renderer/charts. */
export const media = {
  pictures: 'Pictures',
  histograms: 'Histograms',
  rank: 'rank {{rank}}',
  step: 'step {{step}}',
  picture: '{{name}}, step {{step}}',
  enlarge: 'Enlarge {{name}} of step {{step}}',
  all: 'Show all {{count}}',
  failed: 'not fetched',
  strip: '{{name}}: values from {{low}} to {{high}}, steps {{first}} to {{last}}',
  more_one: '{{count}} more name is not shown.',
  more_other: '{{count}} more names are not shown.',
} as const;
