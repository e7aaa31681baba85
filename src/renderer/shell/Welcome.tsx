/** The page without an open lab: examples with a picture each, the existing labs, and a button for a new one. */
import { Button } from '@mantine/core';
import { IconAlertTriangle, IconFilePlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ErrorNote, shownName } from '../ui/index.ts';
import { useLanguage, useWindowStore } from '../state/index.ts';
import { useLabActions } from '../commands/index.ts';
import classes from './Welcome.module.css';

export function Welcome() {
  const { t } = useTranslation();
  const language = useLanguage();
  const examples = useWindowStore((state) => state.examples);
  const labs = useWindowStore((state) => state.labs);
  const actions = useLabActions();
  return (
    <main className={classes.welcome}>
      <div className={classes.page}>
        <div className={classes.head}>
          <div>
            <h2 className={classes.title}>{t('shell.welcome.title')}</h2>
            <p>{t('shell.welcome.text')}</p>
          </div>
          <Button size="sm" leftSection={<IconFilePlus size={15} />} onClick={actions.create}>
            {t('commands.name.newLab')}
          </Button>
        </div>
        <section aria-label={t('shell.welcome.examples')}>
          <h3>{t('shell.welcome.examples')}</h3>
          <div className={classes.cards}>
            {examples.map((example) => (
              <button
                key={example.name}
                type="button"
                className={classes.card}
                onClick={() => actions.fromExample(example.name)}
              >
                <Picture
                  name={example.name}
                  label={t('shell.welcome.picture', { title: example.title[language] })}
                />
                <strong>{example.title[language]}</strong>
                <span>{example.description[language]}</span>
              </button>
            ))}
          </div>
        </section>
        {labs.length > 0 && (
          <section aria-label={t('shell.welcome.labs')}>
            <h3>{t('shell.welcome.labs')}</h3>
            <ul className={classes.labs}>
              {labs.map((lab) =>
                lab.error === undefined ? (
                  <li key={lab.id}>
                    <button type="button" className={classes.lab} onClick={() => actions.open(lab.id)}>
                      <span>{shownName(lab.name, t)}</span>
                      <small>{t('shell.menu.nodes', { count: lab.nodes })}</small>
                    </button>
                  </li>
                ) : (
                  <li key={lab.path} className={classes.damaged}>
                    <IconAlertTriangle size={15} color="var(--rl-state-failed)" aria-hidden />
                    <div>
                      <span>{lab.name}</span> <code>{lab.path}</code>
                      <ErrorNote error={lab.error} />
                    </div>
                  </li>
                ),
              )}
            </ul>
          </section>
        )}
      </div>
    </main>
  );
}

/** The drawing of an example, chosen by its name: a ring of three, one machine with many GPUs, or a script and two nodes. */
function Picture({ name, label }: { name: string; label: string }) {
  const one = name.startsWith('one-');
  const gpu = name.includes('gpu');
  const script = name.includes('script');
  return (
    <svg viewBox="0 0 200 92" className={classes.picture} role="img" aria-label={label}>
      {one ? (
        <>
          <rect x="40" y="16" width="120" height="60" rx="6" className={classes.box} />
          {[0, 1, 2, 3].map((index) => (
            <rect
              key={index}
              x={52 + index * 25}
              y="30"
              width="20"
              height="32"
              rx="3"
              className={classes.chip}
            />
          ))}
        </>
      ) : (
        <>
          <path
            d={script ? 'M100 34 L44 68 L156 68 Z' : 'M100 24 L44 68 L156 68 Z'}
            className={classes.links}
          />
          {script && <ScriptSheet />}
          {[...(script ? [] : [[100, 24]]), [44, 68], [156, 68]].map(([x = 0, y = 0]) => (
            <g key={`${x}`}>
              <rect x={x - 24} y={y - 13} width="48" height="26" rx="5" className={classes.box} />
              <rect x={x - 17} y={y - 6} width={gpu ? 18 : 12} height="12" rx="2" className={classes.chip} />
            </g>
          ))}
        </>
      )}
    </svg>
  );
}

/** A sheet with lines of code. */
const ScriptSheet = () => (
  <g>
    <rect x="78" y="6" width="44" height="44" rx="4" className={classes.box} />
    <path d="M85 16 h16 M89 24 h24 M89 32 h18 M85 40 h22" className={classes.links} />
  </g>
);
