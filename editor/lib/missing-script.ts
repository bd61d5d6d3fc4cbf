// Recognizes that a script of the application no longer exists, because the service was updated.

/** How the messages of Chromium, Firefox and Safari begin when a script that is imported on demand cannot be loaded. */
const MESSAGES =
  /^(?:Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed)/;

export const isMissingScript = (error: unknown): boolean =>
  error instanceof TypeError && MESSAGES.test(error.message);
