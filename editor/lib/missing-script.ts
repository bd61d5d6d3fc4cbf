// Recognizes that a script of the application no longer exists, because the service was updated.

/** Is in the messages of browsers: `dynamically imported module` or, in Safari, `Importing a module script failed`. */
const MESSAGE = /import(ed|ing a) module/i;

export const isMissingScript = (error: unknown): boolean =>
  error instanceof TypeError && MESSAGE.test(error.message);
