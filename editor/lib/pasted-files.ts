// Decides whether a paste means files or text.

/**
 * Returns the pasted files, or none if the user copied text, of which spreadsheets and office programs add a picture. Text
 * that only names the files does not count: file managers and browsers add the name or URL of a copied file.
 */
export function getPastedFiles({
  clipboardData,
}: {
  readonly clipboardData: DataTransfer | null;
}): readonly File[] {
  const files = [...(clipboardData?.files ?? [])];
  const lines = (clipboardData?.getData('text/plain') ?? '')
    .split(/[\r\n]+/)
    .filter(line => line.trim() !== '');
  const hasTable = /<table\b/i.test(clipboardData?.getData('text/html') ?? '');
  const isOfFile = (line: string): boolean =>
    files.some(({ name }) => line === name || line.endsWith(`/${name}`) || line.endsWith(`\\${name}`)) ||
    (!hasTable && /^(?:https?|file|data|blob):\S+$/i.test(line));
  return lines.every(isOfFile) ? files : [];
}
