// Builds the Content-Security-Policy of pages.

/** Returns a policy that allows only what the directives allow. */
export function createPolicy({
  'form-action': formAction = "'none'",
  'frame-ancestors': frameAncestors = "'none'",
  ...sources
}: Readonly<Record<string, string>>): string {
  const directives = {
    'default-src': "'none'",
    ...sources,
    'base-uri': "'none'",
    'form-action': formAction,
    'frame-ancestors': frameAncestors,
  };
  return Object.entries(directives)
    .map(directive => directive.join(' '))
    .join('; ');
}
