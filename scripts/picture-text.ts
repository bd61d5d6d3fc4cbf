// Draws a picture as lines of half blocks in 24-bit color, two pixels per character.
import sharp from 'sharp';

/** The picture in that many columns. */
export async function drawImage(bytes: Buffer, columns: number): Promise<string[]> {
  const { width, height } = await sharp(bytes).metadata();
  const rows = Math.max(2, 2 * Math.round((columns * height) / width / 2));
  const pixels = await sharp(bytes)
    .resize(columns, rows, { fit: 'fill' })
    .flatten()
    .removeAlpha()
    .raw()
    .toBuffer();
  const color = (x: number, y: number): string =>
    [...pixels.subarray((y * columns + x) * 3, (y * columns + x) * 3 + 3)].join(';');
  return Array.from({ length: rows / 2 }, (_, row) => {
    const cells = Array.from(
      { length: columns },
      (_, x) => `\x1b[38;2;${color(x, row * 2)};48;2;${color(x, row * 2 + 1)}m▀`,
    );
    return `${cells.join('')}\x1b[0m`;
  });
}
