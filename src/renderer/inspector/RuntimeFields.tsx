/** Fields for the source of torch on the nodes: the system, an existing installation, a conda environment, PyTorch's wheels. */
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import type { Experiment } from '../../shared/lab/lab.ts';
import { Runtime, defaultEnvironment } from '../../shared/lab/runtime.ts';
import { ChoiceField, FieldRow, TextField } from '../ui/index.ts';

const Existing = Runtime.options[1].shape;
const Conda = Runtime.options[2].shape;
const Wheels = Runtime.options[3].shape;
/** URLs separated by spaces. */
const addresses = (list: z.ZodType<string[]>): z.ZodType<string> =>
  z
    .string()
    .transform((text) => splitNames(text).join(' '))
    .refine((text) => list.safeParse(splitNames(text)).success);
const Channels = addresses(Conda.channels.unwrap());
const Indexes = addresses(Wheels.indexes.unwrap());
/** Empty: the newest that fits. */
const Version = (version: z.ZodType<string>) =>
  z
    .string()
    .max(32)
    .transform((text) => text.trim())
    .refine((text) => text === '' || version.safeParse(text).success);
const PythonVersion = Version(Wheels.python.unwrap());
const TorchVersion = Version(Wheels.torch.unwrap());
const splitNames = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

const defaults: Readonly<Record<Runtime['type'], Runtime>> = {
  system: { type: 'system' },
  existing: { type: 'existing' },
  conda: { type: 'conda', environment: defaultEnvironment },
  wheels: { type: 'wheels' },
};

export function RuntimeFields(props: {
  /** `runtimeOf` the lab: what its nodes get where it says nothing, too. */
  runtime: Runtime;
  set: (change: Partial<Experiment>, field: string) => void;
  issue: (path: string) => string | undefined;
  /** What the program that trains can use. */
  choices: readonly Runtime['type'][];
}) {
  const { t } = useTranslation();
  const { runtime, set, issue } = props;
  return (
    <>
      <ChoiceField
        fieldKey="experiment.runtime"
        path="experiment.runtime"
        label={t('inspector.runtime.title')}
        description={t(`inspector.runtime.help.${runtime.type}`)}
        value={runtime.type}
        issue={issue('experiment.runtime')}
        choices={props.choices.map((value) => ({
          value,
          label: t(`inspector.runtime.${value}`),
        }))}
        onChange={(type) => set({ runtime: defaults[type] }, 'runtime')}
      />
      {runtime.type === 'existing' && (
        <TextField
          fieldKey="experiment.runtime.path"
          path="experiment.runtime.path"
          label={t('inspector.runtime.path')}
          placeholder={t('inspector.runtime.anyPath')}
          value={runtime.path ?? ''}
          schema={Existing.path.unwrap()}
          onChange={(path) => set({ runtime: { type: 'existing', path } }, 'runtime.path')}
        />
      )}
      {runtime.type === 'conda' && (
        <>
          <TextField
            fieldKey="experiment.runtime.environment"
            path="experiment.runtime.environment"
            label={t('inspector.runtime.environment')}
            value={runtime.environment}
            schema={Conda.environment}
            onChange={(environment) => set({ runtime: { ...runtime, environment } }, 'runtime.environment')}
          />
          <TextField
            fieldKey="experiment.runtime.channels"
            path="experiment.runtime.channels"
            label={t('inspector.runtime.channels')}
            description={t('inspector.runtime.channelsHelp')}
            placeholder={t('inspector.runtime.measured')}
            value={(runtime.channels ?? []).join(' ')}
            schema={Channels}
            onChange={(text) =>
              set({ runtime: { ...runtime, channels: splitNames(text) } }, 'runtime.channels')
            }
          />
        </>
      )}
      {runtime.type === 'wheels' && <WheelsFields runtime={runtime} set={set} />}
    </>
  );
}

function WheelsFields(props: {
  runtime: Extract<Runtime, { type: 'wheels' }>;
  set: (change: Partial<Experiment>, field: string) => void;
}) {
  const { t } = useTranslation();
  const { runtime, set } = props;
  return (
    <>
      <FieldRow>
        <TextField
          fieldKey="experiment.runtime.torch"
          label={t('inspector.runtime.torch')}
          placeholder={t('inspector.runtime.newest')}
          value={runtime.torch ?? ''}
          schema={TorchVersion}
          onChange={(torch) =>
            set({ runtime: { ...runtime, torch: torch === '' ? undefined : torch } }, 'runtime.torch')
          }
        />
        <TextField
          fieldKey="experiment.runtime.python"
          label={t('inspector.runtime.python')}
          placeholder={t('inspector.runtime.anyPython')}
          value={runtime.python ?? ''}
          schema={PythonVersion}
          onChange={(python) =>
            set({ runtime: { ...runtime, python: python === '' ? undefined : python } }, 'runtime.python')
          }
        />
      </FieldRow>
      <TextField
        fieldKey="experiment.runtime.indexes"
        label={t('inspector.runtime.indexes')}
        description={t('inspector.runtime.indexesHelp')}
        placeholder={t('inspector.runtime.measured')}
        value={(runtime.indexes ?? []).join(' ')}
        schema={Indexes}
        onChange={(text) => {
          const indexes = splitNames(text);
          set(
            { runtime: { ...runtime, indexes: indexes.length === 0 ? undefined : indexes } },
            'runtime.indexes',
          );
        }}
      />
    </>
  );
}
