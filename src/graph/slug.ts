// Turns names into slugs, which are the last part of public addresses.

/**
 * Returns the slug of a name: `Ein Bild für Dich` → `ein-bild-fur-dich`. The slug has at most 60 characters, so that a
 * suffix fits.
 */
export function toSlug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
}
