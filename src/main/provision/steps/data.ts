/** The data set: drawn there (`shapes`), already there (`folder`), or sent from this computer (`upload`). */
import { known, type Step, type StepContext } from '../step.ts';
import { checkDataFolder, expandHome } from './data-folder.ts';
import { hasShapes, makeShapes, shapesFolder } from './data-shapes.ts';
import type { DataUpload } from './data-upload.ts';

const describe = (path: string, classes: number): string => `${path} · ${classes} classes`;

async function accept(context: StepContext, path: string): Promise<string> {
  const classes = await checkDataFolder(context.shell, path);
  context.work.data = path;
  return describe(path, classes);
}

/** `shapes` and uploads are keyed by what is in them, so that a changed experiment finds or makes a folder of its own. */
export function createDataStep(upload: DataUpload): Step {
  return {
    id: 'data',
    async check(context) {
      const { data } = context.lab.experiment;
      const { home } = known(context.work, 'facts');
      if (data.type === 'folder') return accept(context, expandHome(data.path.trim(), home));
      if (context.redo) return undefined;
      if (data.type === 'shapes') {
        return (await hasShapes(context, data)) ? accept(context, shapesFolder(home, data)) : undefined;
      }
      const folder = await upload.find(context, data.path.trim());
      return folder === undefined ? undefined : accept(context, folder);
    },
    async apply(context) {
      const { data } = context.lab.experiment;
      if (data.type === 'shapes') await makeShapes(context, data);
      else if (data.type === 'upload') await upload.send(context, data.path.trim());
    },
    async verify(context) {
      const { data } = context.lab.experiment;
      const { home } = known(context.work, 'facts');
      if (data.type === 'shapes') return accept(context, shapesFolder(home, data));
      if (data.type === 'folder') return accept(context, expandHome(data.path.trim(), home));
      return accept(context, await upload.folder(context, data.path.trim()));
    },
  };
}
