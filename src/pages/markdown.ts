// Converts untrusted markdown to safe markup: renders it with markdown-it and sanitizes it with sanitize-html.
import MarkdownIt from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import sanitizeHtml from 'sanitize-html';

// The sanitizer decides about raw HTML. Bare URLs do not become links.
const parser = new MarkdownIt({ html: true, linkify: false }).use(footnotes);

const FOOTNOTE_ID = /^fn(?:ref)?-\d+-\d+(?::\d+)?$/;
const ALIGNMENTS = ['left', 'center', 'right'];
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

const ALLOWED_TAGS = [
  ...HEADINGS,
  ...['p', 'br', 'hr', 'blockquote', 'pre', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'details', 'summary'],
  ...['a', 'img', 'figure', 'figcaption', 'section', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ...['strong', 'b', 'em', 'i', 's', 'del', 'ins', 'mark', 'sub', 'sup', 'small', 'code', 'kbd', 'abbr', 'q'],
];

/** Renders the text. `part` keeps footnote ids distinct between the markdown parts of one page. */
export function renderMarkdown(markdown: string, part: number): string {
  const raw = parser.render(markdown, { docId: String(part) });
  const clean = sanitizeHtml(raw, {
    allowedTags: ALLOWED_TAGS,
    allowedAttributes: {
      a: ['href', 'title', 'id', 'aria-label'],
      img: ['src', 'alt', 'title', 'loading'],
      li: ['id'],
      ol: ['start'],
      section: ['aria-label'],
      abbr: ['title'],
    },
    allowedClasses: { code: ['language-*'], section: ['footnotes'], th: ALIGNMENTS, td: ALIGNMENTS },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: { img: ['http', 'https'] },
    allowProtocolRelative: false,
    // Deeper nesting has no use and slows browsers down.
    nestingLimit: 50,
    parseStyleAttributes: false,
    transformTags: createTransforms(),
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && (attribs.src ?? '') === '',
  });
  // Wraps tables in a box that scrolls on narrow screens. Every `<` in the sanitizer's output starts a tag, so plain
  // replacement is safe.
  return clean
    .replaceAll('<table>', '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .trim();
}

/** Creates the transformations for one rendering, because the level of a heading depends on earlier headings. */
function createTransforms(): Record<string, sanitizeHtml.Transformer> {
  const openLevels: number[] = [];
  const normalizeHeading: sanitizeHtml.Transformer = tagName => {
    const level = Number(tagName.slice(1));
    while (openLevels.length > 0 && (openLevels.at(-1) ?? 0) >= level) openLevels.pop();
    openLevels.push(level);
    // The page's title is the only h1, and levels are not skipped.
    return { tagName: `h${Math.min(6, 1 + openLevels.length)}`, attribs: {} };
  };
  return {
    ...Object.fromEntries(HEADINGS.map(tagName => [tagName, normalizeHeading])),
    img: (tagName, { src = '', alt = '', title }) => ({
      tagName,
      attribs: { src, alt, loading: 'lazy', ...(title === undefined ? {} : { title }) },
    }),
    a: (tagName, attribs) => ({ tagName, attribs: labelBackReference(keepFootnoteId(attribs)) }),
    li: (tagName, attribs) => ({ tagName, attribs: keepFootnoteId(attribs) }),
    section: (tagName, { class: name = '' }) => ({
      tagName,
      attribs: name === 'footnotes' ? { class: name, 'aria-label': 'Footnotes' } : {},
    }),
    th: alignCell,
    td: alignCell,
  };
}

/** Removes all ids except those of footnotes, because they could shadow ids of the page. */
function keepFootnoteId({ id, ...attributes }: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  return id !== undefined && FOOTNOTE_ID.test(id) ? { ...attributes, id } : attributes;
}

/** Gives the arrow that leads back from a footnote an accessible name. */
function labelBackReference(attribs: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const { href, title, id } = attribs;
  const allowed = {
    ...(href === undefined ? {} : { href }),
    ...(title === undefined ? {} : { title }),
    ...(id === undefined ? {} : { id }),
  };
  return attribs.class === 'footnote-backref' ? { ...allowed, 'aria-label': 'Back to text' } : allowed;
}

/** Replaces the style attribute that markdown-it writes, because the pages' policy forbids inline styles. */
function alignCell(tagName: string, { style = '' }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const align = /^text-align:(left|center|right)$/.exec(style)?.[1];
  return { tagName, attribs: align === undefined ? {} : { class: align } };
}
