// Prompts the user for something that requests need. Requests that fail while a prompt is open wait for that prompt.

/** A request that failed. */
export interface FailedRequest {
  /** When it was sent, by `performance.now()`. */
  readonly sentMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Creates a prompt. `onChange` gets the function that settles an opened prompt, and undefined once the prompt is settled.
 * The promise resolves to true when the user has done what the prompt asks for, immediately if that happened after the
 * request was sent. It resolves to false if the user cancels or the request is aborted.
 */
export function createPrompt(
  onChange: (settle: ((isDone: boolean) => void) | undefined) => void,
): (request: FailedRequest) => Promise<boolean> {
  let prompt: Promise<boolean> | undefined;
  let lastDoneMs = Number.NEGATIVE_INFINITY;
  return ({ sentMs, signal }) => {
    if (sentMs < lastDoneMs) return Promise.resolve(true);
    prompt ??= new Promise<boolean>(onChange)
      .then(isDone => {
        if (isDone) lastDoneMs = performance.now();
        return isDone;
      })
      .finally(() => {
        prompt = undefined;
        onChange(undefined);
      });
    if (signal === undefined) return prompt;
    return Promise.race([
      prompt,
      new Promise<boolean>(resolve => signal.addEventListener('abort', () => resolve(false), { once: true })),
    ]);
  };
}
