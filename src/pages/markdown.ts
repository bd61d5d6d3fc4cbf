// Markdown that others wrote → markup that is safe to send: rendered by markdown-it, sanitized by sanitize-html.
import MarkdownIt from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import sanitizeHtml from 'sanitize-html';

// Raw HTML is let through to the sanitizer, which alone decides; nothing is made a link that was not written as one.
const parser = new MarkdownIt({ html: true, linkify: false }).use(footnotes);

const FOOTNOTE_ID = /^fn(?:ref)?-\d+-\d+(?::\d+)?$/;
const ALIGNMENTS = ['left', 'center', 'right'];
const LEVELS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

const ALLOWED_TAGS = [
  ...LEVELS,
  ...['p', 'br', 'hr', 'blockquote', 'pre', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'details', 'summary'],
  ...['a', 'img', 'figure', 'figcaption', 'section', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ...['strong', 'b', 'em', 'i', 's', 'del', 'ins', 'mark', 'sub', 'sup', 'small', 'code', 'kbd', 'abbr', 'q'],
];

/** `part` keeps the footnote ids of one page's markdown parts distinct. */
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
    // Deeper markup than any reader follows would only cost browsers time.
    nestingLimit: 50,
    parseStyleAttributes: false,
    transformTags: transforms(),
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && (attribs.src ?? '') === '',
  });
  // Tables keep their meaning only as tables, so it is a box around them that scrolls on narrow screens. What is left
  // of `<` in the sanitizer's output is tags alone.
  return clean
    .replaceAll('<table>', '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .trim();
}

/** For one rendering: headings depend on those before them. */
function transforms(): Record<string, sanitizeHtml.Transformer> {
  const open: number[] = [];
  const heading: sanitizeHtml.Transformer = tagName => {
    const level = Number(tagName.slice(1));
    while (open.length > 0 && (open.at(-1) ?? 0) >= level) open.pop();
    open.push(level);
    // The page's title is the only h1, and no level is left out on the way down.
    return { tagName: `h${Math.min(6, 1 + open.length)}`, attribs: {} };
  };
  return {
    ...Object.fromEntries(LEVELS.map(level => [level, heading])),
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

/** Any other id could take the place of one of the page's own. */
function keepFootnoteId({ id, ...others }: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  return id !== undefined && FOOTNOTE_ID.test(id) ? { ...others, id } : others;
}

/** The arrow that leads back from a footnote says nothing by itself. */
function labelBackReference(attribs: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const { href, title, id } = attribs;
  const kept = {
    ...(href === undefined ? {} : { href }),
    ...(title === undefined ? {} : { title }),
    ...(id === undefined ? {} : { id }),
  };
  return attribs.class === 'footnote-backref' ? { ...kept, 'aria-label': 'Back to the text' } : kept;
}

/** markdown-it aligns by style, which no page may carry. */
function alignCell(tagName: string, { style = '' }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const align = /^text-align:(left|center|right)$/.exec(style)?.[1];
  return { tagName, attribs: align === undefined ? {} : { class: align } };
}
