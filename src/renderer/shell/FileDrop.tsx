/** Opens lab files that are dropped on the window. Without it a browser shows the file in place of the window. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLabActions } from '../commands/index.ts';
import classes from './FileDrop.module.css';

export function FileDrop() {
  const { t } = useTranslation();
  const { importFiles } = useLabActions();
  const [over, setOver] = useState(false);
  useEffect(() => {
    const ending = new AbortController();
    const on = (type: 'dragover' | 'dragleave' | 'drop', listen: (event: DragEvent) => void): void =>
      window.addEventListener(type, listen, { signal: ending.signal });
    /** Not text, nor for a part of the window that takes files itself. */
    const isForUs = (event: DragEvent): event is DragEvent & { dataTransfer: DataTransfer } =>
      !event.defaultPrevented && event.dataTransfer?.types.includes('Files') === true;
    on('dragover', (event) => {
      setOver(isForUs(event));
      if (isForUs(event)) event.preventDefault();
    });
    on('dragleave', (event) => {
      if (event.relatedTarget === null) setOver(false);
    });
    on('drop', (event) => {
      setOver(false);
      if (!isForUs(event)) return;
      event.preventDefault();
      importFiles([...event.dataTransfer.files]);
    });
    return () => ending.abort();
  }, [importFiles]);
  if (!over) return null;
  return (
    <div className={classes.over} aria-hidden>
      <span className={classes.words}>{t('shell.dropFile')}</span>
    </div>
  );
}
