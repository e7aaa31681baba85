/** Catches errors in the rendering of a part of the window; the rest continues, and the part can be shown again. */
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './ErrorBoundary.module.css';

interface Props {
  readonly children: ReactNode;
  /** A new value shows the part again automatically. */
  readonly resetKey?: string;
}
interface State {
  readonly error: Error | undefined;
  readonly resetKey: string | undefined;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.resetKey === state.resetKey ? null : { error: undefined, resetKey: props.resetKey };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <Crash error={error} onAgain={() => this.setState({ error: undefined })} />;
  }
}

function Crash({ error, onAgain }: { error: Error; onAgain: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={classes.crash} role="alert">
      <strong>{t('shell.crash.title')}</strong>
      <p>{t('shell.crash.text')}</p>
      <details>
        <summary>{t('shell.detail')}</summary>
        <pre>{error.stack ?? error.message}</pre>
      </details>
      <Button variant="light" onClick={onAgain}>
        {t('shell.crash.again')}
      </Button>
    </div>
  );
}
