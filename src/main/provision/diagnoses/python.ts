/** Failures of Python and of what installs its packages: pip and uv. */
import type { Diagnosis } from './diagnosis.ts';

export const pythonDiagnoses: readonly Diagnosis[] = [
  {
    code: 'python.no_venv',
    patterns: [
      /ensurepip is not available/,
      /virtual environment was not created successfully/,
      /No module named \'?(?:venv|ensurepip)\b/,
    ],
  },
  {
    code: 'pip.bad_requirement',
    patterns: [
      /Invalid requirement: /,
      /Couldn't parse requirement in/,
      /Expected (?:package name at the start|end or semicolon|semicolon)/,
      /\bInvalid(?:Version: | version: )/,
    ],
  },
  {
    code: 'python.no_ssl',
    patterns: [/SSL module is not available/],
  },
  {
    code: 'python.numpy2',
    patterns: [
      /A module that was compiled using NumPy 1\.x cannot be run in/,
      /_ARRAY_API not found/,
      /numpy\.(?:dtype|ndarray) size changed, may indicate binary incompatibility/,
      /RuntimeError: Numpy is not available/,
      /`np\.\w+` was removed in the NumPy 2\.0 release/,
      /numpy\.core\.(?:_multiarray_umath|multiarray) failed to import/,
    ],
  },
  {
    code: 'pip.managed',
    patterns: [/externally-managed-environment/, /The interpreter at .* is externally managed/],
  },
  {
    code: 'pip.python_version',
    patterns: [
      /Please use Python (?<wanted>\d[\d.]*) or newer/,

      /incompatible with the project's Python requirement: `?(?<wanted>[^`]+)/,

      /requires a different Python(?: version)?: (?<found>[\d.]+) not in '?(?<wanted>[^']+)/,
      /(?:current|requested) Python version \((?<found>[^)]+)\) does not satisfy Python(?<wanted>[\d.,<>=!~]+)/,
      /requires Python '?(?<wanted>[^' ]+)'? but the running Python is (?<found>[\d.]+)/,
    ],
  },
  {
    code: 'pip.untrusted_host',
    patterns: [/(?<host>\S+) is not a trusted or secure host/],
  },
  {
    code: 'pip.requirements_file',
    patterns: [/(?:satisf(?:y|ies) the requirement|distribution found for) \S*requirements\S*\.txt/],
  },
  {
    code: 'pip.not_found',
    patterns: [
      /Could not find any downloads that satisfy the requirement (?<package>\S+)/,
      /No distributions at all found for (?<package>\S+)/,

      /No matching distribution found for (?<package>\S+)/,
      /Could not find a version that satisfies the requirement (?<package>\S+)/,
      /Because (?<package>\S+) was not found in the (?:package registry|provided package locations)/,
      /Because there (?:is|are) no versions? of (?<package>\S+)/,
      /Because only (?<package>\S+) (?:is|are) available/,
      /Distribution `?(?<package>[^`@\s]+) @ .*can't be installed because it doesn't have/,
      /(?<package>\S+\.whl) is not a supported wheel on this platform/,
      /(?<![^\s])(?<package>[\w.=<>~!+-]{1,200}) has no (?:wheels|usable wheels) with a matching/,
      /(?<package>\S+) has no wheels? (?:are )?(?:available )?with a matching/,
    ],
    followsFrom: [
      'network.name',
      'network.certificate',
      'network.proxy',
      'network.offline',
      'pip.unreachable',
      'pip.untrusted_host',
      'pip.requirements_file',
    ],
  },
  {
    code: 'pip.conflict',
    patterns: [
      /Double requirement given: (?<packages>\S+)/,

      /Cannot install (?<packages>.+) because these package versions have conflicting dependencies/,
      /ResolutionImpossible/,
      /requirements are unsatisfiable/,
      /pip's dependency resolver does not currently take into account all the packages/,
      /No solution found when resolving/,
      /\brequires? \S+,? but you(?:\'ll)? have \S+(?: \S+)?,? which is incompatible/,
      /has requirement \S+,? but you(?:\'ll)? have/,
      /The conflict is caused by:/,
    ],
    followsFrom: ['pip.not_found', 'pip.python_version'],
  },
  {
    code: 'pip.hash',
    patterns: [/THESE PACKAGES DO NOT MATCH THE HASHES/, /Hash mismatch for `(?<package>[^`]+)`/],
    action: 'retry',
  },
  {
    code: 'pip.build_failed',
    patterns: [
      /\bfailed with error code \d+ in \S*pip[-_]/,
      /error in \S+ setup command: /,

      /Command "?python setup\.py \w+"? failed with error code/,
      /Build backend failed to \w+/,
      /Failed to (?:download and )?build: `?(?<package>[^\s`]+)/,
      /Failed to download and build `(?<package>[^\s`]+)/,
      /\blegacy-install-failure\b/,
      /can't find Rust compiler/,
      /\bBackendUnavailable\b/,

      /Failed (?:building wheel for|to build) `?(?<package>[^\s`]+)/,
      /Could not build wheels for (?<package>\S+?),? which/,
      /error: (?:subprocess-exited-with-error|metadata-generation-failed)/,
      /pip subprocess to install build dependencies did not run successfully/,
      /(?:Command errored out with exit status|python setup\.py \w+ did not run successfully)/,
      /(?:Getting requirements to build wheel|Preparing metadata \([^)]*\)) did not run successfully/,
      /invalid command 'bdist_wheel'/,
      /error: command '\S*(?:gcc|g\+\+|cc|clang|nvcc)' failed/,
      /Failed to build installable wheels for some pyproject\.toml/,
      /The build backend returned an error/,
      /Call to `[\w.:]+` failed \(exit status: \d+\)/,
    ],
    followsFrom: [
      'build.python_headers',
      'build.compiler_new',
      'build.compiler_old',
      'build.no_compiler',
      'build.no_library',
      'build.cuda_mismatch',
      'build.cmake_new',
      'build.cmake_old',
      'build.no_torch',
      'build.killed',
      'cuda.architecture',
    ],
  },
  {
    code: 'pip.no_project',
    patterns: [
      /No `?(?:pyproject\.toml|project table)`? found\b/,
      /does not appear to be a Python project/,
      /Neither 'setup\.py' nor 'pyproject\.toml' found/,
    ],
  },
  {
    code: 'pip.no_environment',
    patterns: [/No virtual environment found\b/, /Failed to find (?:a )?(?:Python )?virtual environment/],
  },
  {
    code: 'pip.lock_outdated',
    patterns: [
      /Failed to parse `?(?<path>(?:\S*\/)?\w+\.lock)`?/,

      /The lockfile at `?(?<path>[^`\s]+)`? needs to be updated/,
      /pyproject\.toml changed significantly since poetry\.lock/,
    ],
  },
  {
    code: 'pip.cannot_uninstall',
    patterns: [
      /Cannot uninstall '?(?<package>[\w.-]+)/,
      /uninstall-(?:distutils-installed-package|no-record-file)/,
    ],
  },
  {
    code: 'pip.broken_environment',
    patterns: [/Broken (?:virtualenv|virtual environment) `(?<path>[^`]+)`/, /pyvenv\.cfg`? is missing/],
  },
  {
    code: 'python.import_name',
    patterns: [
      /ImportError: cannot import name '?(?<name>[^' ]+)'? from '?(?<module>[^' ]+)'?/,
      /cannot import name '?(?<name>[^' ]+)'? from (?:partially initialized module )?'?(?<module>[^' ]+)'?/,
    ],
  },
  {
    code: 'python.no_module',
    patterns: [
      /ModuleNotFoundError: No module named '(?<module>[^']+)'/,
      /ImportError: No module named (?<module>\S+)/,
      /python3?: No module named (?<module>\S+)/,
      /PackageNotFoundError: No package metadata was found for (?<module>\S+)/,
      /DistributionNotFound: The '(?<module>[^']+)' distribution was not found/,
    ],
    followsFrom: ['pip.build_failed'],
  },
  {
    code: 'python.torch_companions',
    patterns: [
      /operator torchvision::nms does not exist/,
      /Couldn't load custom C\+\+ ops\b/,
      /Detected that PyTorch and (?:torchvision|torchaudio) were compiled with different CUDA/,
      /Could not load this library: .*(?:torchaudio|torchtext|torchvision)/,
      /No such operator torchvision::/,
    ],
  },
  {
    code: 'python.not_found',
    patterns: [
      /No interpreter found for (?<wanted>executable name `[^`]+`)/,
      /Neither `python` nor `python3` are in `PATH`/,

      /No interpreter found for (?<wanted>Python\s?\S*)/,
      /pyenv: version `(?<wanted>[^']+)' is not installed/,
      /Python (?<wanted>\d[\d.]*) (?:was|is) not (?:found|installed)/,
      /No download found for request: (?<wanted>\S+)/,
    ],
  },
  {
    code: 'python.wrong_version',
    patterns: [
      /(?<wanted>[\w.-]+[<>=!~]\S*) is required for a normal functioning of this module,? but found (?<found>\S+?)\.?$/,
      /VersionConflict: .*(?<wanted>[\w.-]+[<>=!~][^)]*)/,
    ],
  },
];

/** What is left when nothing more exact says why a package index does not answer. */
export const packageIndexDiagnoses: readonly Diagnosis[] = [
  {
    code: 'pip.not_there',
    patterns: [
      /Could not fetch URL (?<url>\S+): (?<status>\d{3} [\w ]+)/,

      /HTTP status client error \((?<status>\d+ [^)]+)\) for url \((?<url>[^)]+)\)/,
      /HTTP error (?<status>\d+) while getting (?<url>\S+)/,
      /(?<status>\d{3}) Client Error: .* for url: (?<url>\S+)/,
      /HTTPError: HTTP Error (?<status>4\d\d: .+)$/,
    ],
  },
  {
    code: 'pip.unreachable',
    patterns: [
      /error decoding response body|error reading a body from connection/,

      /\btcp connect error\b/,
      /client error \(Connect\)/,

      /HTTPS?ConnectionPool\(host='(?<host>[^']+)', port=\d+\): (?:Read timed out|Max retries exceeded)/,
      /after connection broken by/,
      /Cannot fetch index base URL (?<host>\S+)/,
      /error sending request for url \(\w+:\/\/(?<host>[^/)]+)/,
      /Failed to (?:fetch|download)(?: distribution)?: `/,
      /IncompleteRead\(\d+ bytes read/,
      /due to network timeout/,
      /Request failed after \d+ retries/,
    ],
    action: 'retry',
    followsFrom: [
      'network.name',
      'network.certificate',
      'network.proxy',
      'network.offline',
      'python.no_ssl',
      'pip.not_there',
      'conda.unreachable',
    ],
  },
];
