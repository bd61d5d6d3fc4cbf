// Parses RSS 2.0, RSS 1.0 and Atom as they arrive. Text and items beyond the limits are dropped and not buffered.
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { findByteOrderMark } from '../../lib/charset.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';

export interface FeedItem {
  readonly title: string;
  readonly link: string;
  readonly guid: string;
  readonly publishedAt: string | null;
  readonly summary: string;
  readonly content: string;
  readonly enclosures: readonly { readonly url: string; readonly type: string | null }[];
}

export interface ParsedFeed {
  readonly items: readonly FeedItem[];
  /** The number of items beyond the limit. */
  readonly dropped: number;
}

const MAX_ITEMS = 1000;
const MAX_FIELD_CHARS = 50_000;
const MAX_ENCLOSURES = 20;
const MAX_DEPTH = 100;
const MAX_ATTRIBUTES = 100;
/** Entities that feeds use without declaring them. Entities that a document declares are never expanded. */
const ENTITIES = {
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  laquo: '«',
  raquo: '»',
};

/** The field of each element, for RSS and Atom. */
const FIELDS: Readonly<Record<string, keyof ItemDraft['fields']>> = {
  title: 'title',
  link: 'link',
  guid: 'guid',
  id: 'guid',
  pubDate: 'publishedAt',
  published: 'publishedAt',
  'dc:date': 'publishedAt',
  updated: 'updatedAt',
  description: 'summary',
  summary: 'summary',
  'content:encoded': 'content',
  content: 'content',
};

/** An item whose element has not ended. */
interface ItemDraft {
  readonly fields: Record<
    'title' | 'link' | 'guid' | 'publishedAt' | 'updatedAt' | 'summary' | 'content',
    string
  >;
  readonly enclosures: { url: string; type: string | null }[];
}

/** Throws an Error with the reason if the chunks are not a well-formed feed. */
export async function parseFeed(chunks: AsyncIterable<Uint8Array>, charset?: string): Promise<ParsedFeed> {
  const parser = createFeedParser();
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of chunks) {
    await yieldTurn();
    decoder ??= new TextDecoder(findByteOrderMark(chunk)?.charset ?? charset ?? findXmlEncoding(chunk));
    parser.write(decoder.decode(chunk, { stream: true }));
  }
  return parser.end();
}

function findXmlEncoding(start: Uint8Array): string {
  const text = Buffer.from(start.subarray(0, 300)).toString('latin1');
  return /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z][\w.:-]{0,40})["']/.exec(text)?.[1] ?? 'utf-8';
}

function createFeedParser() {
  const parser = new SaxesParser({ position: false, xmlns: false });
  Object.assign(parser.ENTITIES, ENTITIES);
  const items: FeedItem[] = [];
  let dropped = 0;
  let isFeed = false;
  let depth = 0;
  let attributes = 0;
  let draft: ItemDraft | undefined;
  let draftDepth = 0;
  let field: keyof ItemDraft['fields'] | undefined;
  const add = (text: string): void => {
    if (draft === undefined || field === undefined) return;
    const charsLeft = MAX_FIELD_CHARS - draft.fields[field].length;
    if (charsLeft > 0) draft.fields[field] += text.slice(0, charsLeft);
  };
  parser.on('error', err => {
    throw new Error(`The feed is not well-formed XML: ${err.message.slice(0, 200)}`);
  });
  // The parser keeps the attributes of an element until its tag ends.
  parser.on('opentagstart', () => {
    attributes = 0;
  });
  parser.on('attribute', () => {
    if (++attributes > MAX_ATTRIBUTES)
      throw new Error(`The feed has an element with more than ${MAX_ATTRIBUTES} attributes.`);
  });
  parser.on('opentag', (tag: SaxesTagPlain) => {
    const { name } = tag;
    if (depth === 0) isFeed = ['rss', 'feed', 'rdf:RDF'].includes(name);
    if (depth >= MAX_DEPTH) throw new Error('The feed is nested too deeply.');
    depth++;
    if (draft === undefined) {
      if (name !== 'item' && name !== 'entry') return;
      draft = createDraft();
      draftDepth = depth;
      return;
    }
    if (depth !== draftDepth + 1) return;
    field = FIELDS[name];
    addLinks(draft, name, tag.attributes as Readonly<Record<string, string>>);
    // The first element with text counts, so the text of another element of the field is ignored.
    if (field !== undefined && draft.fields[field] !== '') field = undefined;
  });
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => {
    depth--;
    if (draft === undefined) return;
    if (depth === draftDepth) field = undefined;
    if (depth >= draftDepth) return;
    const item = toItem(draft);
    draft = undefined;
    field = undefined;
    if (item.guid === '') return;
    if (items.length < MAX_ITEMS) items.push(item);
    else dropped++;
  });
  return {
    write: (text: string) => void parser.write(text),
    end(): ParsedFeed {
      parser.close();
      if (!isFeed) throw new Error('The document is neither RSS nor Atom.');
      return { items, dropped };
    },
  };
}

function createDraft(): ItemDraft {
  const fields = { title: '', link: '', guid: '', publishedAt: '', updatedAt: '', summary: '', content: '' };
  return { fields, enclosures: [] };
}

function addLinks(draft: ItemDraft, name: string, attributes: Readonly<Record<string, string>>): void {
  const { href, url, rel = 'alternate', type = null } = attributes;
  if (name === 'link' && href !== undefined && rel === 'alternate' && draft.fields.link === '')
    draft.fields.link = href.slice(0, MAX_FIELD_CHARS);
  const fileUrl =
    name === 'enclosure' || name === 'media:content'
      ? url
      : name === 'link' && rel === 'enclosure'
        ? href
        : undefined;
  if (fileUrl !== undefined && draft.enclosures.length < MAX_ENCLOSURES)
    draft.enclosures.push({
      url: fileUrl.slice(0, MAX_FIELD_CHARS),
      type: type?.slice(0, MAX_FIELD_CHARS) ?? null,
    });
}

function toItem({ fields, enclosures }: ItemDraft): FeedItem {
  const [title, link, guid] = [fields.title.trim(), fields.link.trim(), fields.guid.trim()];
  const time = Date.parse(fields.publishedAt.trim() || fields.updatedAt.trim());
  return {
    title,
    link,
    // RSS allows items without a guid.
    guid: guid || link || title,
    publishedAt: Number.isNaN(time) ? null : new Date(time).toISOString(),
    summary: fields.summary.trim(),
    content: fields.content.trim(),
    enclosures,
  };
}
