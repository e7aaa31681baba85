/** The user's own patterns for values that a script prints. */
import { ActionIcon, Button, Text, Tooltip } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { maxPatterns, Script } from '../../../shared/lab/script.ts';
import { asOneStep, dropDraft } from '../../state/index.ts';
import { patternReason, TextField } from '../../ui/index.ts';
import { PatternPreview } from './PatternPreview.tsx';
import type { ScriptFieldsProps } from './script-fields-props.ts';
import classes from './script.module.css';
import { useTriedPatterns } from './use-tried-patterns.ts';

const Pattern = Script.shape.patterns.unwrap().element;
type ScriptPattern = NonNullable<Script['patterns']>[number];
export const patternField = (index: number, field: keyof ScriptPattern): string =>
  `experiment.script.patterns[${index}].${field}`;

export function PatternFields({ script, issue, change }: ScriptFieldsProps) {
  const { t } = useTranslation();
  const patterns = script.patterns ?? [];
  const tried = useTriedPatterns(patterns);
  const put = (next: readonly ScriptPattern[], field: string): void =>
    change({ patterns: next.length === 0 ? undefined : [...next] }, `patterns${field}`);
  const complaint = (index: number): string | undefined => {
    const said = tried.errorOf(index);
    return said === undefined ? undefined : patternReason(said, t, patterns[index]?.pattern);
  };
  const field = (index: number, name: keyof ScriptPattern, placeholder: string) => (
    <TextField
      fieldKey={patternField(index, name)}
      path={patternField(index, name)}
      label={t(`script.patterns.${name}`, { number: index + 1 })}
      placeholder={placeholder}
      value={patterns[index]?.[name] ?? ''}
      schema={Pattern.shape[name]}
      issue={issue(patternField(index, name)) ?? (name === 'pattern' ? complaint(index) : undefined)}
      onChange={(text) =>
        put(
          patterns.map((old, at) => (at === index ? { ...old, [name]: text } : old)),
          `[${index}].${name}`,
        )
      }
    />
  );
  return (
    <fieldset className={classes.list}>
      <legend>{t('script.patterns.title')}</legend>
      <Text size="xs" c="dimmed">
        {t('script.patterns.help')}
      </Text>
      {patterns.map((pattern, index) => (
        <div key={index} className={classes.listRow}>
          {field(index, 'name', 'val/dice')}
          {field(index, 'pattern', 'dice=([0-9.]+)')}
          <Tooltip label={t('script.remove')}>
            <ActionIcon
              aria-label={t('script.patterns.remove', { name: pattern.name })}
              onClick={() => {
                for (const [at] of patterns.entries())
                  for (const name of ['name', 'pattern'] as const) dropDraft(patternField(at, name));
                asOneStep(() =>
                  put(
                    patterns.filter((_, at) => at !== index),
                    '.remove',
                  ),
                );
              }}
            >
              <IconX size={14} />
            </ActionIcon>
          </Tooltip>
        </div>
      ))}
      <PatternPreview patterns={patterns} tried={tried.found} problem={tried.problem} />
      <Button
        className={classes.add ?? ''}
        variant="subtle"
        size="compact-xs"
        leftSection={<IconPlus size={13} />}
        disabled={patterns.length >= maxPatterns}
        onClick={() => asOneStep(() => put([...patterns, { name: '', pattern: '' }], '.add'))}
      >
        {t('script.patterns.add')}
      </Button>
    </fieldset>
  );
}
