/** Fields for the data source: generated images, folders on the nodes or this computer, URLs, or a bucket. */
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import {
  DataSource,
  HashDigits,
  ImageSize,
  imageSizeOf,
  isSplit,
  type Experiment,
} from '../../shared/lab/lab.ts';
import { useLabId } from '../state/index.ts';
import { ChoiceField, FieldRow, NumberField, SwitchField, TextField, useFoldersBeside } from '../ui/index.ts';
import { keptValues } from './kept-values.ts';

const shapesSource = { type: 'shapes', train: 1800, validation: 360, size: 32, seed: 1 } as const;
const Shapes = DataSource.options[0].shape;
const FolderPath = DataSource.options[1].shape.path;
const Url = DataSource.options[3].shape;
/** URLs separated by spaces. */
const addressesIn = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');
const Addresses = z
  .string()
  .transform((text) => addressesIn(text).join(' '))
  .refine((text) => Url.urls.safeParse(addressesIn(text)).success);
/** As programs print it: also with capital letters, and with spaces around it. */
const Hash = z.string().trim().toLowerCase().pipe(HashDigits);
const Bucket = DataSource.options[4].shape;
/** Sources that are not chosen now, by lab and type. */
const kept = keptValues<DataSource>();
type BucketData = Extract<DataSource, { type: 's3' }>;
type BucketText = 'endpoint' | 'region' | 'bucket' | 'prefix' | 'accessKeyId';

export function DataFields(props: {
  data: DataSource;
  set: (change: Partial<Experiment>, field: string) => void;
  issue: (path: string) => string | undefined;
}) {
  const { t } = useTranslation();
  const { data, set, issue } = props;
  const labId = useLabId();
  const choose = (type: DataSource['type']): void => {
    if (type === data.type) return;
    kept.keep(`${labId} ${data.type}`, data);
    const before = kept.of(`${labId} ${type}`);
    // A folder of the nodes may be the one of this computer: its path is taken along.
    if (before !== undefined && !('path' in before && 'path' in data)) {
      set({ data: before }, 'data.type');
      return;
    }
    const path = 'path' in data ? data.path : '';
    const size = data.type === 'shapes' || data.size === undefined ? {} : { size: data.size };
    const chosen: DataSource =
      type === 'shapes'
        ? shapesSource
        : type === 'url'
          ? { type, urls: [], sha256: '', ...size }
          : type === 's3'
            ? { type, endpoint: '', region: 'us-east-1', bucket: '', prefix: '', accessKeyId: '', ...size }
            : { type, path, ...size };
    set({ data: chosen }, 'data.type');
  };
  const sizeField = (
    <NumberField
      fieldKey="experiment.data.size"
      path="experiment.data.size"
      label={t('inspector.data.size')}
      unit="px"
      value={imageSizeOf(data)}
      schema={data.type === 'shapes' ? Shapes.size : ImageSize}
      issue={issue('experiment.data.size')}
      onChange={(size) => set({ data: { ...data, size } }, 'data.size')}
    />
  );
  const bucketField = (bucket: BucketData, name: BucketText, placeholder?: string) => (
    <TextField
      fieldKey={`experiment.data.${name}`}
      path={`experiment.data.${name}`}
      label={t(`inspector.data.${name}`)}
      value={bucket[name]}
      schema={Bucket[name]}
      issue={issue(`experiment.data.${name}`)}
      onChange={(text) => set({ data: { ...bucket, [name]: text.trim() } }, `data.${name}`)}
      {...(placeholder === undefined ? {} : { placeholder })}
    />
  );
  const splitField = (divided: Extract<DataSource, { split?: boolean | undefined }>) => (
    <SwitchField
      fieldKey="experiment.data.split"
      path="experiment.data.split"
      label={t('inspector.data.split')}
      description={t('inspector.data.splitHelp')}
      value={isSplit(divided)}
      issue={issue('experiment.data.split')}
      onChange={(split) => set({ data: { ...divided, split } }, 'data.split')}
    />
  );
  return (
    <>
      <ChoiceField
        fieldKey="experiment.data.type"
        label={t('inspector.data.source')}
        description={t(`inspector.data.help.${data.type}`)}
        value={data.type}
        choices={[
          { value: 'shapes', label: t('inspector.data.shapes') },
          { value: 'folder', label: t('inspector.data.folder') },
          { value: 'upload', label: t('inspector.data.upload') },
          { value: 'url', label: t('inspector.data.url') },
          { value: 's3', label: t('inspector.data.s3') },
        ]}
        onChange={choose}
      />
      {data.type === 'shapes' ? (
        <>
          <FieldRow>
            {(['train', 'validation'] as const).map((name) => (
              <NumberField
                key={name}
                fieldKey={`experiment.data.${name}`}
                path={`experiment.data.${name}`}
                issue={issue(`experiment.data.${name}`)}
                label={t(`inspector.data.${name}`)}
                value={data[name]}
                schema={Shapes[name]}
                onChange={(value) => set({ data: { ...data, [name]: value } }, `data.${name}`)}
              />
            ))}
          </FieldRow>
          <FieldRow>
            {sizeField}
            <NumberField
              fieldKey="experiment.data.seed"
              label={t('inspector.data.seed')}
              value={data.seed}
              schema={Shapes.seed}
              onChange={(seed) => set({ data: { ...data, seed } }, 'data.seed')}
            />
          </FieldRow>
        </>
      ) : data.type === 'url' ? (
        <>
          <TextField
            fieldKey="experiment.data.urls"
            path="experiment.data.urls"
            label={t('inspector.data.urls')}
            placeholder="https://…/images.tar.gz"
            value={data.urls.join(' ')}
            schema={Addresses}
            issue={issue('experiment.data.urls')}
            onChange={(text) => set({ data: { ...data, urls: addressesIn(text) } }, 'data.urls')}
          />
          <TextField
            fieldKey="experiment.data.sha256"
            path="experiment.data.sha256"
            label={t('inspector.data.sha256')}
            value={data.sha256}
            schema={Hash}
            issue={issue('experiment.data.sha256')}
            onChange={(sha256) => set({ data: { ...data, sha256 } }, 'data.sha256')}
          />
          {sizeField}
        </>
      ) : data.type === 's3' ? (
        <>
          {bucketField(data, 'endpoint', 'https://s3.eu-central-1.amazonaws.com')}
          <FieldRow>
            {bucketField(data, 'bucket')}
            {bucketField(data, 'region', 'us-east-1')}
          </FieldRow>
          {bucketField(data, 'prefix', 'imagenet/')}
          {bucketField(data, 'accessKeyId', t('inspector.data.anonymous'))}
          <Text size="xs" c="dimmed">
            {t('inspector.data.secretKey')}
          </Text>
          {sizeField}
          {splitField(data)}
        </>
      ) : (
        <>
          <FolderField
            path={data.path}
            isOfThisComputer={data.type === 'upload'}
            issue={issue('experiment.data.path')}
            onChange={(path) => set({ data: { ...data, path } }, 'data.path')}
          />
          {sizeField}
          {data.type === 'upload' && splitField(data)}
        </>
      )}
    </>
  );
}

/** A folder of the nodes, or one of this computer, which is completed while it is typed. */
function FolderField(props: {
  path: string;
  isOfThisComputer: boolean;
  issue: string | undefined;
  onChange: (path: string) => void;
}) {
  const { t } = useTranslation();
  const beside = useFoldersBeside(props.isOfThisComputer ? props.path : undefined);
  return (
    <TextField
      fieldKey="experiment.data.path"
      path="experiment.data.path"
      label={t('inspector.data.path')}
      placeholder="/data/imagenet"
      value={props.path}
      schema={FolderPath}
      issue={props.issue}
      suggestions={props.isOfThisComputer ? beside : undefined}
      onChange={props.onChange}
    />
  );
}
