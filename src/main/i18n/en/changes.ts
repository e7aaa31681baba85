/** What a preparation changes on a node or this computer: shown in a dry run and before the user allows it. */
export const changes = {
  ifForeseen: '{{what}}, if the libraries’ step brings libtorch {{version}} as expected',
  conda: {
    micromamba: 'Bring micromamba',
    environment: 'Make the conda environment “{{environment}}” in Ringlab’s own folder',
    unsolved:
      '{{what}}: libtorch, libjpeg-turbo, libtiff, libwebp and zlib. Which packages exactly is solved on the node then and kept with the lab; ‘ringlab lock’ does that beforehand',
    list: 'Send the list of packages',
    settings: 'Send the settings: the fastest from there that has all of {{channels, joined}}',
    create: '{{what}} ({{count}} packages, {{size}})',
    clear: 'Remove both',
  },
  wheels: {
    uv: 'Send uv {{version}}, which installs Python packages',
    python:
      'Python {{python}}: one that is there; else uv’s own, in Ringlab’s own folder; else the distribution’s package python3',
    files: 'Send the list of packages',
    fastest:
      'Ask the fastest from there of {{indexes, joined}}; a node without a GPU takes PyTorch’s own builds for the CPU where they are reached',
    environment: 'Make the virtual environment {{folder}} of PyTorch’s wheels',
  },
  solve: {
    fastest: ' (shown for {{channel}}; the fastest from there of {{channels, joined}} is asked)',
    solve:
      'Solve the environment; nothing is installed, only lists of packages are kept in Ringlab’s own folder{{fastest}}',
    again:
      'The same once more, with the packages that this gives and what builds the trainer: {{packages, joined}}',
    builds: 'List the builds of libtorch that the channel has{{fastest}}',
  },
  bundle: {
    conda: 'Send those of the bundle’s {{count}} packages that are missing there to {{folder}}',
    channel: 'Make that folder a channel',
    python: 'Python {{python}}: one that is there; else uv’s own from the bundle, in Ringlab’s own folder',
    wheels: 'Send those of the bundle’s {{count}} wheels that are missing there to {{folder}}',
    lists: 'Send the bundle’s list of packages, and its signature',
    missing: 'Ask apt which packages of the bundle are missing',
    packages: 'Send the packages that apt names then, at most {{count}}, to {{folder}}',
  },
  driver: {
    afterReboot:
      'What the driver still needs after the reboot is found out then, and asked about before it is done',
    send: 'Send the driver’s file, after its SHA-256 was confirmed',
    build: 'Build the driver’s module {{version}} for the running kernel {{kernel}}',
    signed: 'Install Ubuntu’s signed module for the running kernel {{kernel}}',
    fromFile: 'Install the driver from NVIDIA’s own installer that you named',
    fromRepository: 'Install the driver from NVIDIA’s own repository: {{packages}}',
    addRepository: 'Add NVIDIA’s repository and its key, from the package that you named',
    ubuntu: 'Install the driver that Ubuntu recommends for this GPU, with what its module needs',
    components: 'Add Debian’s own components contrib and non-free, which contain NVIDIA’s driver',
    debian: 'Install NVIDIA’s driver of this Debian release, without a graphical desktop',
    headers: 'Install the compiler and the headers of the running kernel {{kernel}}',
    blacklist: 'Keep the free driver nouveau from taking the GPU at the next boot',
    load: 'Load the driver’s module',
    tools: 'Install nvidia-smi, which the driver lacks',
    reboot: 'Reboot the node',
  },
  code: {
    clone:
      'Where the node reaches {{url}}: get the files from there, and use those that are equal to this computer’s',
    send: 'Send the script’s {{count}} files, {{bytes, bytes}}; what the node has already is not sent again',
    program: 'Send Ringlab’s own program, which samples the node and collects what the script writes',
  },
  engine:
    'The script uses ringlab.slow or ringlab.hook: build their engine for its PyTorch {{torch}}, once; local nodes share it',
  trainer: {
    unpack: 'Unpack the sources',
    configure: 'Configure with CMake',
    compile: 'Compile, {{jobs}} at once: as many as cores and free memory allow now',
    place: 'Put the trainer in its place, and remove the build folder',
    tools:
      'Bring compiler and CMake from the place of libtorch, as missing here: {{missing, joined}}. The commands below then run in that environment (micromamba run)',
    sources: 'Send the sources of the trainer {{version}}',
    try: 'Try the trainer: memory, a convolution and an all-reduce of one rank',
    noteTried: 'Note beside the trainer what passed, so that it is not tried again',
    note: 'Note beside it, once it has started, who built it and its SHA-256',
    unforeseen:
      'Send the trainer {{version}} where one is kept that fits the libtorch of the step before, which is not known yet; else build it on the node, {{circle}}',
    send: 'Send the trainer {{version}} ({{origin}})',
    build:
      'Build the trainer {{version}} on the node from its sources, {{circle}}; a node that waits for another’s build is sent what that has built',
    keep: 'Copy what was built to this computer, and note beside {{path}} who built it and its SHA-256, which is known then',
  },
  tunnel: {
    key: 'Make a private key for the encrypted network on the node, readable by root only',
    remove: 'Remove the lab’s encrypted network from the node, with its key',
    raiseLater:
      'Then, with the public keys of all nodes: bring up the interface {{name}}; UDP port {{port}}, or the next that is free',
    ownAddress: '<its own address>',
    publicKey: '<public key of {{node}}>',
    tunnelAddress: '<address in the tunnel of {{node}}>',
    address: '<address of {{node}}>',
    raise: 'Raise the encrypted network: {{name}} with {{address}}, UDP port {{port}}, {{peers}} peers',
  },
  network: {
    remove: 'As root on this computer: remove what exists of the lab’s network and differs from the drawing',
    create: 'As root on this computer: make the drawn network of namespaces and links',
    shape: 'As root on this computer: the network exists; set its links as drawn',
  },
  data: {
    send: 'Send the data set: {{count}} files, {{bytes, bytes}}',
    sendShared: '{{what}}; from another node where one has it by then',
    unpack: 'Unpack it',
    measure:
      'Measure the {{count}} addresses from the node. What follows is done with the fastest alone, and with the next where that fails',
    fetch: 'Fetch the data set on the node and verify it: {{url}}',
    draw: 'Draw the data set with the trainer',
    drawLater: '{{what}}, whose place the step before decides, into {{folder}}',
    noteUnpacked: 'Note what was unpacked',
    objects:
      'Fetch {{count}} objects of {{bucket}}, {{bytes, bytes}}, on the node to {{folder}}, each from an address that this computer signs when it is its turn',
  },
  remove: {
    stays: '; these stay: {{paths, joined}}',
    nothing: 'nothing',
    folder:
      'Remove Ringlab’s own folder with trainers, environments, data, and runs with their checkpoints ({{size}}){{stays}}',
    link: '{{link}} is a link to {{folder}}: remove what Ringlab has put there, with runs and their checkpoints ({{size}}), and the link{{stays}}',
    settings: 'Remove the settings that Ringlab added to the system; installed packages and drivers stay',
  },
  packages: 'Install packages of the node’s distribution that the trainer needs',
} as const;
