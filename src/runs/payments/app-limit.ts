// Creates the error of an app that has spent or reserved its daily credits.
import { AppError } from '../../lib/errors.ts';

/** The message for visitors of an app whose daily credits are spent or reserved. It does not mention prices. */
export const APP_LIMIT_MESSAGE = 'This app has used up what it may spend today. Try again after 00:00 UTC.';

/** Returns the error of an app that can spend no more today. */
export function createAppLimitError(): AppError {
  const nowMs = Date.now();
  const seconds = Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000);
  return new AppError('app_limit_reached', APP_LIMIT_MESSAGE, {
    headers: { 'retry-after': String(seconds) },
  });
}

const DAY_MS = 86_400_000;
