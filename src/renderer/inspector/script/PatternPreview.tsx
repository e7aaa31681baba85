/** What the user's patterns find in the newest log: matches marked in its lines, and the values by name. */
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { WireError } from '../../../shared/base/errors.ts';
import type { TriedPatterns } from '../../../shared/contract/tried-patterns.ts';
import type { Script } from '../../../shared/lab/script.ts';
import { ErrorNote, formatNumber } from '../../ui/index.ts';
import { useLanguage } from '../../state/index.ts';
import classes from './script.module.css';
import { markedParts } from './marked-parts.ts';

/** The newest lines with a match. */
const maxShown = 12;

export interface PatternPreviewProps {
  readonly patterns: NonNullable<Script['patterns']>;
  readonly tried: TriedPatterns | undefined;
  readonly problem: WireError | undefined;
}

export function PatternPreview({ patterns, tried, problem }: PatternPreviewProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  if (problem !== undefined) return <ErrorNote error={problem} />;
  if (tried === undefined) return null;
  // An empty pattern matches everywhere, and says nothing.
  const matched = tried.lines
    .map(({ text, matches }) => ({
      text,
      matches: matches.filter(({ pattern }) => patterns[pattern]?.pattern !== ''),
    }))
    .filter(({ matches }) => matches.length > 0);
  const said =
    tried.run === undefined
      ? t('script.patterns.noLog')
      : t('script.patterns.matched', {
          count: matched.length,
          lines: tried.lines.length,
          run: tried.run.name,
        });
  return (
    <div className={classes.preview}>
      <Text size="xs" c="dimmed" role="status">
        {said}
      </Text>
      {matched.length > 0 && (
        <ol className={classes.tried} aria-label={t('script.patterns.preview')} tabIndex={0}>
          {matched.slice(-maxShown).map(({ text, matches }, index) => (
            <li key={index}>
              <code>
                {markedParts(text, matches).map(({ part, marked }, at) =>
                  marked ? <mark key={at}>{part}</mark> : <span key={at}>{part}</span>,
                )}
              </code>
              <span className={classes.values}>
                {matches
                  .map(({ pattern, value, step, epoch }) => {
                    const name = patterns[pattern]?.name ?? '';
                    const axes = [
                      ...(step === undefined ? [] : [t('script.patterns.step', { step })]),
                      ...(epoch === undefined ? [] : [t('script.patterns.epoch', { epoch })]),
                    ];
                    const found =
                      value === undefined
                        ? axes.length > 0
                          ? ''
                          : t('script.patterns.noNumber', { name })
                        : `${name} = ${formatNumber(value, language)}`;
                    return [found, ...axes].filter((word) => word !== '').join(', ');
                  })
                  .join(' · ')}
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
