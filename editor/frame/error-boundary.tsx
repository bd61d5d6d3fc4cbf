// Shows an error in place of a page that crashed. The rest of the application keeps working.
import { Component, type ReactNode } from 'react';
import { Button } from '../kit/button.tsx';
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
    // After an update of the service, chunks of the old version no longer exist.
    const isOutdated = error instanceof TypeError && /import|load/i.test(error.message);
    return (
      <div className={styles.message} role="alert">
        <h1>{messages.failure.title}</h1>
        <p>{isOutdated ? messages.failure.outdated : messages.failure.crash}</p>
        <Button variant="primary" onClick={() => location.reload()}>
          {messages.common.reload}
        </Button>
      </div>
    );
  }
}
