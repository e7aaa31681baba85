/** The data set: drawn there (`shapes`), already there (`folder`), sent from this computer (`upload`), or fetched (`url`, `s3`). */
import type { Phrase } from '../../../shared/node/diagnosis.ts';
import { known, type Step, type StepContext } from '../engine/step.ts';
import { expandHome } from '../node/home-path.ts';
import { checkDataFolder, countScript } from './data-folder.ts';
import { drawing, hasShapes, makeShapes, shapesFolder, shapesQuestion } from './data-shapes.ts';
import type { DataS3 } from './data-s3.ts';
import type { DataUpload } from './data-upload.ts';
import { fetchUrlData, hasUrlData, planUrlData, urlFolder } from './data-url.ts';

const describe = (path: string, classes: number): Phrase => ({
  en: `${path} · ${classes} classes`,
  'zh-CN': `${path} · ${classes} 个类别`,
});

async function accept(context: StepContext, path: string): Promise<Phrase> {
  const classes = await checkDataFolder(context.shell, path);
  context.work.data = path;
  return describe(path, classes);
}

/** `shapes` and uploads are keyed by what is in them, so that a changed experiment finds or makes a folder of its own. */
export function createDataStep(upload: DataUpload, s3: DataS3): Step {
  return {
    id: 'data',
    foresee({ lab, work }) {
      const { data } = lab.experiment;
      const { home } = known(work, 'facts');
      if (data.type === 'folder') return Promise.resolve([countScript(expandHome(data.path.trim(), home))]);
      if (data.type !== 'shapes') return Promise.resolve([]);
      return Promise.resolve([shapesQuestion(home, data), countScript(shapesFolder(home, data))]);
    },
    async check(context) {
      const { data } = context.lab.experiment;
      const { home } = known(context.work, 'facts');
      if (data.type === 'folder') return accept(context, expandHome(data.path.trim(), home));
      if (context.redo) return undefined;
      if (data.type === 'url')
        return (await hasUrlData(context, data)) ? accept(context, urlFolder(home, data)) : undefined;
      if (data.type === 'shapes') {
        return (await hasShapes(context, data)) ? accept(context, shapesFolder(home, data)) : undefined;
      }
      const folder =
        data.type === 's3' ? await s3.find(context, data) : await upload.find(context, data.path.trim());
      return folder === undefined ? undefined : accept(context, folder);
    },
    async plan(context) {
      const { data } = context.lab.experiment;
      if (data.type === 'shapes') return [drawing(context, data)];
      if (data.type === 'url') return planUrlData(context, data);
      if (data.type === 's3') return s3.plan(context, data);
      return data.type === 'upload' ? upload.plan(context, data.path.trim()) : [];
    },
    async apply(context) {
      const { data } = context.lab.experiment;
      if (data.type === 'shapes') await makeShapes(context, data);
      else if (data.type === 'url') await fetchUrlData(context, data);
      else if (data.type === 's3') await s3.fetch(context, data);
      else if (data.type === 'upload') await upload.send(context, data.path.trim());
    },
    async verify(context) {
      const { data } = context.lab.experiment;
      const { home } = known(context.work, 'facts');
      if (data.type === 'shapes') return accept(context, shapesFolder(home, data));
      if (data.type === 'url') return accept(context, urlFolder(home, data));
      if (data.type === 'folder') return accept(context, expandHome(data.path.trim(), home));
      if (data.type === 's3') return accept(context, await s3.folder(context, data));
      return accept(context, await upload.folder(context, data.path.trim()));
    },
  };
}
