// Renders an error: its message, and for errors that only an operator can explain the code and the request id to copy.
import type { ReactNode } from 'react';
import { ApiError, ConnectionError } from '../../sdk/src/errors.ts';
import { showToast } from '../lib/toasts.ts';
import { UserFacingError } from '../lib/user-facing-error.ts';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import styles from './failure.module.css';

/** Returns the message to show for a thrown value. */
export function toErrorMessage(error: unknown): string {
  if (error instanceof ApiError || error instanceof UserFacingError) return error.message;
  if (error instanceof ConnectionError) return messages.failure.unreachable;
  return messages.failure.unknown;
}

/** Shows a toast with the message of a thrown value. */
export const showError = (error: unknown): void => showToast(toErrorMessage(error), { tone: 'failed' });

interface FailureProps {
  readonly error: unknown;
  /** Shows a retry button. */
  readonly onRetry?: (() => void) | undefined;
  /** Another action. */
  readonly children?: ReactNode;
}

/** Errors with a lower status say in their message what to do. */
const MIN_STATUS_OF_FAULTS = 500;

export function Failure({ error, onRetry, children }: FailureProps) {
  const apiError = error instanceof ApiError && error.status >= MIN_STATUS_OF_FAULTS ? error : undefined;
  return (
    <div className={styles.failure} role="alert">
      <p>{toErrorMessage(error)}</p>
      {apiError && (
        <p className={styles.detail}>
          <code>{apiError.code}</code>
          {apiError.requestId !== undefined && (
            <>
              <span>
                {messages.failure.requestId} <code>{apiError.requestId}</code>
              </span>
              <CopyButton text={apiError.requestId} label={messages.common.copy} />
            </>
          )}
        </p>
      )}
      {(onRetry !== undefined || children !== undefined) && (
        <div className={styles.actions}>
          {onRetry && (
            <Button size="s" onClick={onRetry}>
              {messages.common.retry}
            </Button>
          )}
          {children}
        </div>
      )}
    </div>
  );
}
