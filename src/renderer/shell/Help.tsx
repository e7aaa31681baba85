/** Help in one page: first steps, and all keyboard shortcuts. */
import { Button, Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { commands, keysInWords } from '../commands/index.ts';
import { showDialog, useViewStore } from '../state/index.ts';
import classes from './Help.module.css';
import { paletteKeys } from './shortcuts.ts';

const canvasKeys = ['move', 'remove', 'link', 'fields', 'menu', 'rectangle', 'add'] as const;

export function Help() {
  const { t } = useTranslation();
  const opened = useViewStore((state) => state.dialog === 'help');
  return (
    <Modal opened={opened} onClose={() => showDialog(undefined)} title={t('shell.help.title')} size="lg">
      <p className={classes.text}>{t('shell.help.text')}</p>
      <Button
        variant="light"
        onClick={() => {
          showDialog('tour');
        }}
      >
        {t('shell.tour.offer')}
      </Button>
      <h3 className={classes.title}>{t('shell.help.keys')}</h3>
      <dl className={classes.keys}>
        <Row keys={keysInWords(paletteKeys)} text={t('commands.open')} />
        {commands.flatMap(({ id, keys, otherKeys }) =>
          [keys, otherKeys].flatMap((each) =>
            each === undefined
              ? []
              : [<Row key={`${id} ${each}`} keys={keysInWords(each)} text={t(`commands.name.${id}`)} />],
          ),
        )}
      </dl>
      <h3 className={classes.title}>{t('shell.help.onCanvas')}</h3>
      <dl className={classes.keys}>
        {canvasKeys.map((key) => (
          <Row key={key} keys={t(`shell.help.${key}.keys`)} text={t(`shell.help.${key}.words`)} />
        ))}
      </dl>
    </Modal>
  );
}

const Row = ({ keys, text }: { keys: string; text: string }) => (
  <div>
    <dt>
      <kbd>{keys}</kbd>
    </dt>
    <dd>{text}</dd>
  </div>
);
