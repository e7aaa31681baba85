/** The environment variables of a script. A secret one has no value here: it is asked for and kept as passwords are. */
import { ActionIcon, Button, Text, Tooltip } from '@mantine/core';
import { IconLock, IconLockOpen, IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { maxVariables, Script, type ScriptVariable } from '../../../shared/lab/script.ts';
import { useApi } from '../../api/index.ts';
import { asOneStep, asRinglabError, dropDraft, report, useActiveRunId, useLabId } from '../../state/index.ts';
import { TextField } from '../../ui/index.ts';
import type { ScriptFieldsProps } from './script-fields-props.ts';
import classes from './script.module.css';

const Variable = Script.shape.environment.unwrap().element.shape;

/** Where the lab's check reports what is wrong with a variable. */
export const variableField = (index: number): string => `experiment.script.environment[${index}].name`;

export function VariableFields({ script, issue, change }: ScriptFieldsProps) {
  const { t } = useTranslation();
  const variables = script.environment ?? [];
  const activeRun = useActiveRunId(useLabId() ?? '') ?? '';
  const put = (next: readonly ScriptVariable[], field: string): void =>
    change({ environment: next.length === 0 ? undefined : [...next] }, `environment${field}`);
  const setOne = (index: number, changed: ScriptVariable, field: string): void =>
    put(
      variables.map((old, at) => (at === index ? changed : old)),
      `[${index}].${field}`,
    );
  return (
    <fieldset className={classes.list}>
      <legend>{t('script.variables.title')}</legend>
      {variables.map((variable, index) => {
        const secret = variable.secret === true;
        return (
          <div key={index} className={classes.listRow}>
            <TextField
              fieldKey={variableField(index)}
              path={variableField(index)}
              label={t('script.variables.name', { number: index + 1 })}
              placeholder="DATA_DIR"
              value={variable.name}
              schema={Variable.name}
              issue={issue(variableField(index))}
              onChange={(name) => setOne(index, { ...variable, name: name.trim() }, 'name')}
            />
            {secret ? (
              // What was forgotten is one variable's value, until a run asks for it.
              <Asked key={`${variable.name} ${activeRun}`} name={variable.name} />
            ) : (
              <TextField
                fieldKey={valueField(index)}
                label={t('script.variables.value', { number: index + 1 })}
                value={variable.value ?? ''}
                schema={Variable.value.unwrap()}
                onChange={(value) => setOne(index, { ...variable, value }, 'value')}
              />
            )}
            <span className={classes.listButtons}>
              <Tooltip label={t('script.variables.secretHelp')}>
                <ActionIcon
                  aria-label={t('script.variables.secret', { name: variable.name })}
                  aria-pressed={secret}
                  color={secret ? 'petrol' : 'gray'}
                  onClick={() => {
                    dropDraft(valueField(index));
                    const { name } = variable;
                    asOneStep(() =>
                      setOne(index, secret ? { name, value: '' } : { name, secret: true }, 'secret'),
                    );
                  }}
                >
                  {secret ? <IconLock size={15} /> : <IconLockOpen size={15} />}
                </ActionIcon>
              </Tooltip>
              <Tooltip label={t('script.remove')}>
                <ActionIcon
                  aria-label={t('script.variables.remove', { name: variable.name })}
                  onClick={() => {
                    // Drafts belong to a place in the list: behind this one they would show up at another variable.
                    for (const [at] of variables.entries())
                      for (const field of [variableField(at), valueField(at)]) dropDraft(field);
                    asOneStep(() =>
                      put(
                        variables.filter((_, at) => at !== index),
                        '.remove',
                      ),
                    );
                  }}
                >
                  <IconX size={14} />
                </ActionIcon>
              </Tooltip>
            </span>
          </div>
        );
      })}
      {variables.some(({ secret }) => secret === true) && (
        <Text size="xs" c="dimmed">
          {t('script.variables.kept')}
        </Text>
      )}
      <Button
        className={classes.add ?? ''}
        variant="subtle"
        size="compact-xs"
        leftSection={<IconPlus size={13} />}
        disabled={variables.length >= maxVariables}
        onClick={() => asOneStep(() => put([...variables, { name: '', value: '' }], '.add'))}
      >
        {t('script.variables.add')}
      </Button>
    </fieldset>
  );
}

/** A kept value cannot be looked at, only forgotten. */
function Asked({ name }: { name: string }) {
  const { t } = useTranslation();
  const api = useApi();
  const labId = useLabId();
  const [forgotten, setForgotten] = useState(false);
  const forget = (): void => {
    if (labId === undefined) return;
    api.call('script.forget', { labId, name }).then(
      () => setForgotten(true),
      (error: unknown) => report(asRinglabError(error)),
    );
  };
  return (
    <span className={classes.secret}>
      {t(forgotten ? 'script.variables.forgotten' : 'script.variables.asked')}{' '}
      {!forgotten && (
        <Button variant="subtle" size="compact-xs" onClick={forget}>
          {t('script.variables.forget')}
        </Button>
      )}
    </span>
  );
}

const valueField = (index: number): string => `experiment.script.environment[${index}].value`;
