// Shows an error in place of a page that crashed. The rest of the application keeps working.
import { Component, type ReactNode } from 'react';
import { Button } from '../kit/button.tsx';
import { isMissingScript } from '../lib/missing-script.ts';
import { messages } from '../messages.ts';
import styles from './message.module.css';

interface State {
  readonly error: unknown;
}

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override readonly state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className={styles.message} role="alert">
        <h1>{messages.failure.title}</h1>
        <p>{isMissingScript(error) ? messages.failure.outdated : messages.failure.crash}</p>
        <Button variant="primary" onClick={() => location.reload()}>
          {messages.common.reload}
        </Button>
      </div>
    );
  }
}
