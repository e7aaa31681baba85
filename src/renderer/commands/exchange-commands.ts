/** Commands that bring labs in from other programs' files and take them out. */
import {
  IconFileImport,
  IconFileTypePng,
  IconFileTypeSvg,
  IconFileTypeXml,
  IconListDetails,
  IconShape,
  IconTerminal,
  IconDownload,
} from '@tabler/icons-react';
import { formatLab, type LabDocument } from '../../shared/lab.ts';
import { fileName, saveFile, saveText, toAnsible, toContainerlab, toPng } from '../exchange/index.ts';
import { pictureOf } from '../canvas/index.ts';
import {
  asRinglabError,
  camera,
  insertTemplate,
  report,
  showDialog,
  templates,
  useLabStore,
} from '../state/index.ts';
import type { Command, CommandId } from './command.ts';

const hasNodes = (): boolean => (useLabStore.getState().lab?.nodes.length ?? 0) > 0;
const isOpen = (): boolean => useLabStore.getState().lab !== undefined;

const exporting = (
  id: CommandId,
  Icon: Command['Icon'],
  save: (lab: LabDocument, name: string, context: Parameters<Command['run']>[0]) => void | Promise<void>,
): Command => ({
  id,
  section: 'lab',
  Icon,
  isPossible: hasNodes,
  run(context) {
    const { lab } = useLabStore.getState();
    if (lab === undefined) return;
    Promise.resolve(save(lab, fileName(lab.name), context)).catch((error: unknown) =>
      report(asRinglabError(error)),
    );
  },
});

/** The input that chooses a file is made for each choice: nothing of it stays in the page. */
function chooseFile(accept: string, take: (file: File) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = accept;
  input.onchange = () => {
    const [file] = input.files ?? [];
    if (file !== undefined) take(file);
  };
  input.click();
}

export const exchangeCommands: readonly Command[] = [
  {
    id: 'importFile',
    section: 'lab',
    Icon: IconFileImport,
    run: ({ labs }) => chooseFile('.json,.yml,.yaml', labs.importFile),
  },
  {
    id: 'importSsh',
    section: 'lab',
    Icon: IconTerminal,
    isPossible: isOpen,
    run: () => showDialog('sshImport'),
  },
  exporting('exportLab', IconDownload, (lab, name) =>
    saveText(`${name}.lab.json`, formatLab(lab), 'application/json'),
  ),
  exporting('exportPng', IconFileTypePng, async (lab, name, { t }) =>
    saveFile(`${name}.png`, await toPng(pictureOf(lab, t))),
  ),
  exporting('exportSvg', IconFileTypeSvg, (lab, name, { t }) =>
    saveText(`${name}.svg`, pictureOf(lab, t).svg, 'image/svg+xml'),
  ),
  exporting('exportContainerlab', IconFileTypeXml, (lab, name) =>
    saveText(`${name}.clab.yml`, toContainerlab(lab), 'application/yaml'),
  ),
  exporting('exportAnsible', IconListDetails, (lab, name) =>
    saveText(`${name}-inventory.yml`, toAnsible(lab), 'application/yaml'),
  ),
  ...templates.map((template): Command => ({
    id: `template_${template}`,
    section: 'lab',
    Icon: IconShape,
    isPossible: isOpen,
    run({ at }) {
      insertTemplate(template, at ?? camera()?.middle() ?? { x: 0, y: 0 });
      requestAnimationFrame(() => camera()?.showAll());
    },
  })),
];
