// Prompts the user for something that requests need. Requests that fail while a prompt is open wait for that prompt.

/**
 * Creates a prompt. `onChange` gets the function that settles an opened prompt, and undefined once the prompt is settled.
 * For an aborted request, the promise resolves to false.
 */
export function createPrompt(
  onChange: (settle: ((isDone: boolean) => void) | undefined) => void,
): (signal: AbortSignal | undefined) => Promise<boolean> {
  let prompt: Promise<boolean> | undefined;
  return signal => {
    prompt ??= new Promise<boolean>(onChange).finally(() => {
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
