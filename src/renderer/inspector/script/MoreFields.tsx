/** What a script needs only sometimes: variables, folders, packages, how it is started, and what it writes. */
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { runtimeOf, trainingNodes } from '../../../shared/lab/lab.ts';
import { Script } from '../../../shared/lab/script.ts';
import { useLabStore } from '../../state/index.ts';
import { ChoiceField, FieldRow, NumberField, TextField } from '../../ui/index.ts';
import { Fold } from '../Fold.tsx';
import { LinkUseFields, LostRankFields, PortField, ProcessesFields } from '../RankFields.tsx';
import { RuntimeFields } from '../RuntimeFields.tsx';
import { patternField, PatternFields } from './PatternFields.tsx';
import type { ScriptFieldsProps } from './script-fields-props.ts';
import { variableField, VariableFields } from './VariableFields.tsx';

const shape = Script.shape;
const Install = shape.install.unwrap();
const RequirementsFile = Install.options[1].shape.file;
const Packages = Install.options[3].shape.packages;
const FewestNodes = shape.minNodes.unwrap();
const Outputs = shape.outputs.unwrap();
/** One a line. */
const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
const lines = (list: z.ZodType<string[]>): z.ZodType<string> =>
  z.string().refine((text) => list.safeParse(linesIn(text)).success);
const PackageLines = lines(Packages);
const OutputLines = lines(Outputs);

/** The runtimes that have a Python for scripts. */
const scriptRuntimes = ['wheels', 'existing', 'system'] as const;
const installTypes = ['auto', 'requirements', 'project', 'packages', 'none'] as const;

/** @param props.files the paths that the script's folder is known to have */
export function MoreFields(props: ScriptFieldsProps & { readonly files: readonly string[] }) {
  const { t } = useTranslation();
  const { experiment, script, issue, change, set } = props;
  const runtime = runtimeOf({ experiment });
  const count = changedCount(props);
  const wrong =
    wrongFields.some((field) => issue(field) !== undefined) ||
    outputIssue(props) !== undefined ||
    (script.environment ?? []).some((_, index) => issue(variableField(index)) !== undefined) ||
    (script.patterns ?? []).some((_, index) => issue(patternField(index, 'name')) !== undefined);
  return (
    <Fold
      label={count === 0 ? t('script.more') : t('script.moreSet', { count })}
      startsOpen={count > 0}
      wrong={wrong}
    >
      <RuntimeFields runtime={runtime} set={set} issue={issue} choices={scriptRuntimes} />
      {runtime.type === 'wheels' && <InstallFields {...props} />}
      <VariableFields {...props} />
      <FieldRow>
        <TextField
          fieldKey="experiment.script.workingFolder"
          path="experiment.script.workingFolder"
          label={t('script.workingFolder')}
          placeholder={t('script.root')}
          value={script.workingFolder ?? ''}
          schema={shape.workingFolder.unwrap()}
          issue={issue('experiment.script.workingFolder')}
          onChange={(path) =>
            change({ workingFolder: path.trim() === '' ? undefined : path.trim() }, 'workingFolder')
          }
        />
        <ChoiceField
          fieldKey="experiment.script.launch"
          label={t('script.launch.label')}
          value={script.launch ?? 'ranks'}
          choices={(['ranks', 'torchrun'] as const).map((value) => ({
            value,
            label: t(`script.launch.${value}`),
          }))}
          onChange={(launch) =>
            change(launch === 'ranks' ? { launch: undefined, minNodes: undefined } : { launch }, 'launch')
          }
        />
      </FieldRow>
      {script.launch === 'torchrun' && <FewestNodesField {...props} />}
      <ProcessesFields experiment={experiment} set={set} />
      <TextField
        fieldKey="experiment.script.outputs"
        path="experiment.script.outputs"
        label={t('script.outputs')}
        description={t('script.outputsHelp')}
        placeholder="metrics.jsonl"
        value={(script.outputs ?? []).join('\n')}
        schema={OutputLines}
        issue={outputIssue(props)}
        long
        onChange={(text) => {
          const outputs = linesIn(text);
          change({ outputs: outputs.length === 0 ? undefined : outputs }, 'outputs');
        }}
      />
      <PatternFields {...props} />
      <LostRankFields experiment={experiment} set={set} />
      <LinkUseFields experiment={experiment} set={set} />
      <PortField experiment={experiment} set={set} issue={issue} />
    </Fold>
  );
}

function FewestNodesField({ script, change }: ScriptFieldsProps) {
  const { t } = useTranslation();
  const nodes = useLabStore(({ lab }) => (lab === undefined ? 1 : trainingNodes(lab).length));
  return (
    <NumberField
      fieldKey="experiment.script.minNodes"
      label={t('script.minNodes.label')}
      description={t('script.minNodes.help')}
      value={Math.min(script.minNodes ?? nodes, nodes)}
      schema={FewestNodes}
      onChange={(count) => change({ minNodes: count >= nodes ? undefined : count }, 'minNodes')}
    />
  );
}

function InstallFields({ script, issue, change, files }: ScriptFieldsProps & { files: readonly string[] }) {
  const { t } = useTranslation();
  const { install } = script;
  const type = install?.type ?? 'auto';
  const requirements = files.filter((name) => /requirements[^/]*\.txt$/i.test(name));
  return (
    <>
      <ChoiceField
        fieldKey="experiment.script.install"
        label={t('script.install.label')}
        description={t(`script.install.help.${type}`)}
        value={type}
        choices={installTypes.map((value) => ({ value, label: t(`script.install.${value}`) }))}
        onChange={(chosen) =>
          change(
            {
              install:
                chosen === 'auto'
                  ? undefined
                  : chosen === 'requirements'
                    ? { type: chosen, file: requirements[0] ?? 'requirements.txt' }
                    : chosen === 'packages'
                      ? { type: chosen, packages: [] }
                      : { type: chosen },
            },
            'install',
          )
        }
      />
      {install?.type === 'requirements' && (
        <TextField
          fieldKey="experiment.script.install.file"
          path="experiment.script.install.file"
          label={t('script.install.file')}
          value={install.file}
          schema={RequirementsFile}
          issue={issue('experiment.script.install.file')}
          suggestions={requirements}
          onChange={(file) => change({ install: { ...install, file: file.trim() } }, 'install.file')}
        />
      )}
      {install?.type === 'packages' && (
        <TextField
          fieldKey="experiment.script.install.packages"
          path="experiment.script.install.packages"
          label={t('script.install.list')}
          placeholder={'numpy\ntransformers==4.57.1'}
          value={install.packages.join('\n')}
          schema={PackageLines}
          issue={issue('experiment.script.install.packages')}
          long
          onChange={(text) =>
            change({ install: { ...install, packages: linesIn(text) } }, 'install.packages')
          }
        />
      )}
    </>
  );
}

/** The first of the list's issues: they are at its entries. */
const outputIssue = ({ script, issue }: ScriptFieldsProps): string | undefined =>
  (script.outputs ?? [])
    .map((_, index) => issue(`experiment.script.outputs[${index}]`))
    .find((text) => text !== undefined);

const wrongFields = [
  'experiment.runtime',
  'experiment.port',
  'experiment.script.workingFolder',
  'experiment.script.install.file',
  'experiment.script.install.packages',
] as const;

/** How many of the folded fields differ from what a new script has. */
function changedCount({ experiment, script }: ScriptFieldsProps): number {
  const { environment, workingFolder, install, launch, outputs, patterns } = script;
  return [
    runtimeOf({ experiment }).type !== 'wheels',
    (environment ?? []).length > 0,
    workingFolder !== undefined,
    install !== undefined,
    launch !== undefined,
    experiment.processesPerNode !== 'auto',
    (outputs ?? []).length > 0,
    (patterns ?? []).length > 0,
    experiment.encrypt === true,
    experiment.limitLinks === true,
  ].filter(Boolean).length;
}
