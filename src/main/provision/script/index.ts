/** The steps of a node that runs an own script, in place of libraries, trainer, verification and data. */
import type { Step } from '../engine/step.ts';
import { known } from '../engine/step.ts';
import { plain } from '../../../shared/base/phrase.ts';
import { compileFinally } from './compile.ts';

export { createNodeClones } from './clone-on-node.ts';
export { createCodeStep } from './code-step.ts';
export { createExecutableStep } from './executable-step.ts';
export { createPythonStep } from './python-step.ts';
export { codeUsesEngine, createScriptEngines } from './script-engines.ts';
export { createScriptCode } from './script-code.ts';
export { refuseDifferent } from './same-versions.ts';

/** Compiles the script with the Python that will run it. */
export const compileStep: Step = {
  id: 'compile',
  place: 'verify',
  async check(context) {
    const { python, codeFolder } = context.work;
    // In a dry run on a node without Python.
    if (python === undefined || codeFolder === undefined) return undefined;
    await compileFinally(context, codeFolder, python);
    return plain(context.lab.experiment.script?.file ?? '');
  },
  plan: () => Promise.resolve([]),
  apply: () => Promise.resolve(),
  async verify(context) {
    await compileFinally(context, known(context.work, 'codeFolder'), known(context.work, 'python'));
    return plain(context.lab.experiment.script?.file ?? '');
  },
};
