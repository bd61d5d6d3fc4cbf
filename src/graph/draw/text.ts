// Escapes text for XML, and truncates or wraps it to an estimated width, because fonts cannot be measured here.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
// Characters that XML 1.0 does not allow even escaped.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
// East Asian scripts and pictographs are as wide as they are high.
const IS_WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Extended_Pictographic}/u;
const IS_NARROW = /[iljtfrI1.,:;'|!()[\]{} ]/;
const IS_BROAD = /[A-HJ-Zmw@%&]/;
const MAX_CHARACTERS = 2000;

/** Escapes text as element content or attribute value. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(NOT_XML, '')
    .replace(/[&<>"']/g, character => ENTITIES[character] ?? '');
}

/** Truncates a line with an ellipsis if it is wider than `width` pixels. */
export function truncateLine(text: string, width: number, fontSize: number): string {
  const line = text.slice(0, MAX_CHARACTERS).replace(/\s+/g, ' ').trim();
  const characters = [...line];
  let usedWidth = 0;
  for (const [index, character] of characters.entries()) {
    usedWidth += estimateWidth(character) * fontSize;
    if (usedWidth > width)
      return `${characters
        .slice(0, Math.max(0, index - 1))
        .join('')
        .trimEnd()}…`;
  }
  return line;
}

/** Breaks text at spaces into at most `limit` lines. The last line is truncated if the text is longer. */
export function breakText(text: string, width: number, fontSize: number, limit: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.slice(0, MAX_CHARACTERS).split('\n')) {
    let line = '';
    for (const word of paragraph.split(/\s+/).filter(part => part !== '')) {
      const longerLine = line === '' ? word : `${line} ${word}`;
      if (line !== '' && truncateLine(longerLine, width, fontSize) !== longerLine) {
        lines.push(line);
        line = word;
      } else line = longerLine;
    }
    lines.push(line);
  }
  const visibleLines = lines.slice(0, limit).map(line => truncateLine(line, width, fontSize));
  const lastLine = visibleLines.at(-1);
  if (lines.length > limit && lastLine !== undefined && !lastLine.endsWith('…'))
    visibleLines[limit - 1] = `${lastLine.replace(/[ .,;:]+$/, '')}…`;
  return visibleLines;
}

/** Estimates the width of a character in em, based on DejaVu Sans, the widest font that readers are likely to have. */
function estimateWidth(character: string): number {
  if (IS_WIDE.test(character)) return 1;
  if (IS_NARROW.test(character)) return 0.36;
  return IS_BROAD.test(character) ? 0.8 : 0.6;
}
