/** Failures of training scripts themselves: their arguments, the versions they were written for, and the services they use. */
import type { Diagnosis } from './diagnosis.ts';

export const scriptDiagnoses: readonly Diagnosis[] = [
  {
    code: 'python.removed_name',
    patterns: [
      /AttributeError: module '(?<module>[^']+)' has no attribute '(?<name>[^']+)'/,
      /TypeError: .*got an unexpected keyword argument '(?<name>[^']+)'/,
    ],
  },
  {
    code: 'python.too_old',
    patterns: [
      /unsupported operand type\(s\) for \|: \'(?:type|NoneType|_GenericAlias)\'/,
      /TypeError: 'type' object is not subscriptable/,
      /future feature annotations is not defined/,
    ],
  },
  {
    code: 'python.syntax',
    patterns: [/^\s*(?:SyntaxError|IndentationError|TabError): (?<reason>.+)/],
  },
  {
    code: 'python.encoding',
    patterns: [
      /Unicode(?:Decode|Encode)Error: '(?<codec>ascii|gbk|latin-1|charmap)' codec can't/,
      /locale\.Error: unsupported locale setting/,
    ],
  },
  {
    code: 'script.arguments',
    patterns: [
      /Unsupported (?<arguments>nproc_per_node) value/,

      /: error: unrecognized arguments: (?<arguments>.+)$/,
      /: error: the following arguments are required: (?<arguments>.+)$/,
      /: error: argument (?<arguments>\S+): (?:invalid|expected)/,
    ],
  },
  {
    code: 'hub.gated',
    patterns: [/\bgated repo\b/, /\bGatedRepoError\b/, /Access to model \S+ is restricted/],
  },
  {
    code: 'hub.unreachable',
    patterns: [
      /(?:couldn't|could not|can't) (?:connect to|load|reach) 'https?:\/\/huggingface\.co/,
      /\bLocalEntryNotFoundError\b/,
      /OfflineModeIsEnabled/,
      /cannot find the requested files in the (?:local|disk) cache/,
      /trying to locate the file on the Hub/,
    ],
    action: 'lend_internet',
  },
  {
    code: 'hub.no_model',
    patterns: [
      /is not a local folder and is not a valid model identifier/,
      /\bRepositoryNotFoundError\b/,
      /Repo id must (?:be in the form|use alphanumeric)/,
    ],
  },
  {
    code: 'wandb.login',
    patterns: [
      /wandb.*\b(?:api_key not configured|not logged in)\b/,
      /wandb: ERROR .*(?:API key|login)/,
      /api_key not configured \(no-tty\)/,
    ],
  },
  {
    code: 'script.line_ends',
    patterns: [
      /\$'\\r': command not found/,
      /bad interpreter: .*\^M/,
      /env: ['‘]?[^:]*\\r['’]?: No such file/,
      /\^M: bad interpreter/,
    ],
  },
  {
    code: 'script.interpreter',
    patterns: [
      /(?<interpreter>\/\S+): bad interpreter: (?:No such file|Permission denied)/,
      /cannot execute: required file not found/,
    ],
  },
  {
    code: 'script.bad_config',
    patterns: [
      /\bJSONDecodeError\b/,
      /\byaml\.(?:scanner|parser|composer|constructor)\.\w+Error\b/,
      /\bTOMLDecodeError\b/,
    ],
  },
  {
    code: 'script.terminal',
    patterns: [
      /stty: .*Inappropriate ioctl for device/,
      /OSError: \[Errno 25\] Inappropriate ioctl for device/,
      /_curses\.error: (?:setupterm|cbreak|nocbreak)/,
    ],
  },
  {
    code: 'script.question',
    patterns: [
      /EOFError: EOF when reading a line/,
      /\bbdb\.BdbQuit\b/,
      /getpass\.py", line \d+, in _raw_input/,
    ],
  },
  {
    code: 'hub.dataset_script',
    patterns: [/Dataset scripts are no longer supported/],
  },
  {
    code: 'script.key',
    patterns: [/^\s*(?:\[?rank\d+\]?:?\s*)?KeyError: (?<key>.+)$/],
    followsFrom: 'any',
  },
];
