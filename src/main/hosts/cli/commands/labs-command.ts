/** `ringlab labs`: lists the labs of the data folder and their files. */
import { describeError } from '../../../../shared/i18n/error-texts.ts';
import type { LabSummary } from '../../../../shared/contract/api.ts';
import { withSession, type SessionOptions } from '../session.ts';
import { language, speak } from '../speak.ts';

const row = ({ name, nodes, path, error }: LabSummary): string =>
  `${path}  ${error === undefined ? `${speak('cli.labs.nodes', { count: nodes })}  ${name}` : describeError(error, language).message}`;

/** Without `--json` one line each; with it one JSON array. */
export async function listLabs(
  options: SessionOptions,
  json: boolean,
  print: (line: string) => void,
): Promise<number> {
  return await withSession(options, async ({ api }) => {
    const labs = await api.call('lab.list', {});
    if (json) print(JSON.stringify(labs));
    else if (labs.length === 0) print(speak('cli.labs.none'));
    else for (const lab of labs) print(row(lab));
    return 0;
  });
}
