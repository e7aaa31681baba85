/** Fields for the source of libtorch on the nodes: the system, an existing installation, or a conda environment of the app. */
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { Experiment } from '../../shared/lab/lab.ts';
import { Runtime, defaultEnvironment } from '../../shared/lab/runtime.ts';
import { ChoiceField, TextField } from '../ui/index.ts';

const Existing = Runtime.options[1].shape;
const Conda = Runtime.options[2].shape;
const Channel = Conda.channels.unwrap().element;
/** URLs separated by spaces. */
const Channels = z
  .string()
  .transform((text) => splitNames(text).join(' '))
  .refine((text) => splitNames(text).every((word) => Channel.safeParse(word).success));
const splitNames = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

const defaults: Readonly<Record<Runtime['type'], Runtime>> = {
  system: { type: 'system' },
  existing: { type: 'existing' },
  conda: { type: 'conda', environment: defaultEnvironment },
  wheels: { type: 'wheels' },
};

export function RuntimeFields(props: {
  runtime: Runtime | undefined;
  set: (change: Partial<Experiment>, field: string) => void;
}) {
  const { t } = useTranslation();
  const { set } = props;
  const runtime = props.runtime ?? defaults.system;
  return (
    <>
      <ChoiceField
        fieldKey="experiment.runtime"
        path="experiment.runtime"
        label={t('inspector.runtime.title')}
        description={t(`inspector.runtime.help.${runtime.type}`)}
        value={runtime.type}
        choices={(['system', 'existing', 'conda'] as const).map((value) => ({
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
    </>
  );
}
