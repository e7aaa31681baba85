/** Commands that import labs from other programs' files and export them. */
import {
  IconFileImport,
  IconFileTypePng,
  IconFileTypeSvg,
  IconFileTypeXml,
  IconListDetails,
  IconPackage,
  IconShape,
  IconTerminal,
  IconDownload,
} from '@tabler/icons-react';
import { formatLab } from '../../shared/lab/read-lab.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { pictureOf, pngOf, toAnsible, toContainerlab } from '../exchange/index.ts';
import { fileName, saveFile } from '../ui/index.ts';
import {
  asRinglabError,
  camera,
  insertTemplate,
  report,
  showDialog,
  templates,
  useLabStore,
} from '../state/index.ts';
import type { Command, CommandContext, CommandId } from './command.ts';
import { labFileEndings } from './lab-actions.ts';

const hasParts = (): boolean => {
  const { lab } = useLabStore.getState();
  return lab !== undefined && lab.nodes.length + (lab.annotations?.length ?? 0) > 0;
};
const isOpen = (): boolean => useLabStore.getState().lab !== undefined;

const exporting = (
  id: CommandId,
  Icon: Command['Icon'],
  ending: string,
  make: (lab: LabDocument, context: CommandContext) => Blob | Promise<Blob>,
): Command => ({
  id,
  section: 'lab',
  Icon,
  isPossible: hasParts,
  run(context) {
    const { lab } = useLabStore.getState();
    if (lab === undefined) return;
    const work = async (): Promise<void> => {
      const content = await make(lab, context);
      await saveFile(context.api, context.t, `${fileName(lab.name)}${ending}`, content);
    };
    work().catch((error: unknown) => report(asRinglabError(error)));
  },
});
const text = (content: string, type: string): Blob => new Blob([content], { type });

/** A new file input for each choice, so that none stays in the page. */
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
    run: ({ labs }) => chooseFile(labFileEndings.join(','), (file) => labs.importFiles([file])),
  },
  {
    id: 'importSsh',
    section: 'lab',
    Icon: IconTerminal,
    isPossible: isOpen,
    run: () => showDialog('sshImport'),
  },
  {
    id: 'bundle',
    section: 'lab',
    Icon: IconPackage,
    isPossible: isOpen,
    run: () => showDialog('bundle'),
  },
  exporting('exportLab', IconDownload, '.lab.json', (lab) => text(formatLab(lab), 'application/json')),
  exporting('exportPng', IconFileTypePng, '.png', (lab, { t }) => pngOf(lab, t)),
  exporting('exportSvg', IconFileTypeSvg, '.svg', (lab, { t }) =>
    text(pictureOf(lab, t).svg, 'image/svg+xml'),
  ),
  exporting('exportContainerlab', IconFileTypeXml, '.clab.yml', (lab) =>
    text(toContainerlab(lab), 'application/yaml'),
  ),
  exporting('exportAnsible', IconListDetails, '-inventory.yml', (lab) =>
    text(toAnsible(lab), 'application/yaml'),
  ),
  ...templates.map((template): Command => ({
    id: `template_${template}`,
    section: 'lab',
    Icon: IconShape,
    isPossible: isOpen,
    run({ at, t }) {
      const centre = at ?? camera()?.middle() ?? { x: 0, y: 0 };
      insertTemplate(template, centre, (letter) => t('canvas.siteName', { letter }));
      requestAnimationFrame(() => camera()?.showAll());
    },
  })),
];
