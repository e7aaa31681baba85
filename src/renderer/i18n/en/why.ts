/** Texts of the explanation of slow steps. Owned by src/renderer/runs. */
export const why = {
  title: 'What a step waits for',
  data: 'All ranks wait for data for {{share}} of a step.',
  dataOf: '{{rank}} waits for its data for {{share}} of a step, and the others wait for it.',
  dataHint:
    'Try more workers (now {{workers}}), pack the folder once with “ringlab-train pack”, or look at the disk of that node.',
  dataScriptHint:
    'Give the DataLoader more workers (num_workers), let it pin memory and prefetch, or decode and resize the files once beforehand.',
  saving: '{{rank}} writes checkpoints for {{share}} of the time.',
  savingHint: 'Save less often, save on one rank only, or save to a faster disk.',
  compile: 'torch.compile compiles for {{share}} of the time.',
  compileHint:
    'That is normal at the start. Where it goes on, shapes change from step to step: keep them equal (drop_last, padding).',
  line: '{{rank}} spends {{share}} of the time in a line of its own: {{place}}',
  lineHint: 'Do it less often, on another thread, or on fewer images.',
  shares: {
    title: 'What each rank’s time goes into',
    about: 'By samples of Python’s stack in the last {{time}}. No line of the script was changed.',
    places: 'Lines of {{rank}} that take the most time',
    share: 'Share',
    part: 'What it does',
    line: 'Line',
  },
  slowRank:
    '{{rank}} is a straggler: it computes {{times}} times as long as the others, which wait for it: {{share}} of a step.',
  slowRankAlone: '{{rank}} is a straggler: the others only wait for it, for {{share}} of a step.',
  slowRankHint: 'Look for another program on that node, its clock and its temperature; or train without it.',
  slowRankSharedHint:
    'These nodes are one computer and take turns on its cores. Use fewer nodes or ranks on it, or another machine.',
  slowRankLineHint: 'A line of the script that takes its time is named here, too.',
  throttled: '{{rank}}: the GPU has lowered its clock to {{megahertz}} MHz at {{celsius}} °C.',
  throttledHint: 'Improve its cooling, or lower its power limit so that the clock is steady.',
  network: 'Gradient communication takes {{share}} of a step in which no rank computes.',
  networkAt:
    'Gradient communication takes {{share}} of a step in which no rank computes; the link {{link}} is the narrowest.',
  networkHint:
    'Try a synchronisation mode that sends less (Experiment, Synchronisation: automatic), a larger batch, or a faster link.',
  networkChosenHint:
    'The synchronisation was chosen for these links already. Try a larger batch, a smaller model, or a faster link.',
  networkScriptHint:
    'Put ringlab.slow(model, optimizer) in place of DistributedDataParallel: it sends far less. Or synchronise less in the script (gradient accumulation), or use a faster link.',
  compute: 'No rank waits: {{share}} of a step is computation.',
  computeAmpHint: 'To be faster it needs more or faster nodes, or a smaller model.',
  computeScriptHint:
    'To be faster it needs more or faster nodes, or less to compute in the script: mixed precision, or a smaller model.',
  computeHint: 'To be faster it needs more or faster nodes, mixed precision, or a smaller model.',
} as const;
