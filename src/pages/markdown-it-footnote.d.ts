// Declares the types of markdown-it-footnote, which contains none.
declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it';

  const footnotes: (markdown: MarkdownIt) => void;
  // biome-ignore lint/style/noDefaultExport: that is how the package exports it.
  export default footnotes;
}
