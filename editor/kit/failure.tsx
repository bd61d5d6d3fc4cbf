// Renders an error: message, code, and the request id to copy.
import type { ReactNode } from 'react';
import { ApiError, ConnectionError } from '../../sdk/src/errors.ts';
import { SentenceError } from '../lib/sentence-error.ts';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import styles from './failure.module.css';

/** Returns a message for anything thrown. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof SentenceError) return error.message;
  if (error instanceof ConnectionError) return messages.failure.unreachable;
  return messages.failure.unknown;
}

interface FailureProps {
  readonly error: unknown;
  /** Shows a retry button. */
  readonly onRetry?: (() => void) | undefined;
  /** Another action. */
  readonly children?: ReactNode;
}

export function Failure({ error, onRetry, children }: FailureProps) {
  const refusal = error instanceof ApiError ? error : undefined;
  return (
    <div className={styles.failure} role="alert">
      <p>{sentenceOf(error)}</p>
      {refusal && (
        <p className={styles.detail}>
          <code>{refusal.code}</code>
          {refusal.requestId !== undefined && (
            <>
              <span>
                {messages.failure.requestId} <code>{refusal.requestId}</code>
              </span>
              <CopyButton text={refusal.requestId} label={messages.common.copy} />
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
