// Defines the schemas of content pages, which validate, document and type the content webhook.
import { type Static, type TSchema, Type } from 'typebox';
import { Named, Nullable, Timestamp } from '../schema.ts';
import { CONTENT_CATEGORIES, CONTENT_TYPES, type ContentCategory } from './store.ts';

/**
 * Defines an optional text field, which null resets to its default. The schema lists two types instead of a union,
 * because the validation errors of unions are unclear.
 */
const OptionalText = (maxLength: number, description?: string) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength,
      ...(description === undefined ? {} : { description }),
    }),
  );
const OptionalList = <T extends TSchema>(items: T, maxItems: number) =>
  Type.Optional(
    Type.Unsafe<Static<T>[] | null>({ type: ['array', 'null'], items, maxItems } as Record<string, unknown>),
  );

const Line = Type.String({ minLength: 1, maxLength: 500 });
const Paragraph = Type.String({ maxLength: 10_000 });
const Address = Type.String({ minLength: 1, maxLength: 2048 });

/** The maximum length of all markdown of a page together, which limits the time to render it. */
export const MAX_MARKDOWN = 120_000;

export const CONTENT_EVENTS = {
  create_tool: 'TOOL',
  create_feature: 'FEATURE',
  create_app: 'APP',
  create_model: 'MODEL',
  create_article: 'ARTICLE',
  update_page: undefined,
} as const;

export const ValueProp = Type.Object({
  title: Line,
  description: Paragraph,
  icon: Type.Optional(Type.String({ maxLength: 2048 })),
  image: Type.Optional(Address),
});
export const Question = Type.Object({ question: Line, answer: Paragraph });
export const HowToStep = Type.Object({
  title: Line,
  description: Paragraph,
  image: Type.Optional(Address),
});
export const CrossLink = Type.Object({
  url: Address,
  anchorText: Line,
  description: Type.Optional(Paragraph),
});
export const QuickAnswer = Type.Object({
  question: Line,
  answer: Paragraph,
  bullets: Type.Optional(Type.Array(Line, { maxItems: 50 })),
  variant: Type.Optional(Type.Enum(['default', 'highlight', 'compact'])),
});

const Image = Type.Object({
  url: Address,
  alt: Type.Optional(Type.String({ maxLength: 1000 })),
  caption: Type.Optional(Type.String({ maxLength: 1000 })),
});
const Caption = Type.Optional(Type.String({ maxLength: 1000 }));
/** Type of a content block → its schema. */
export const BLOCKS = {
  markdown: Type.Object({ type: Type.Literal('markdown'), markdown: Type.String({ minLength: 1 }) }),
  image: Type.Object({ type: Type.Literal('image'), ...Image.properties }),
  video: Type.Object({
    type: Type.Literal('video'),
    url: Address,
    poster: Type.Optional(Address),
    caption: Caption,
  }),
  quote: Type.Object({
    type: Type.Literal('quote'),
    text: Paragraph,
    author: Type.Optional(Line),
    role: Type.Optional(Line),
  }),
  code: Type.Object({
    type: Type.Literal('code'),
    code: Type.String({ minLength: 1, maxLength: 50_000 }),
    language: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9+#_-]{1,30}$' })),
    caption: Caption,
  }),
  gallery: Type.Object({
    type: Type.Literal('gallery'),
    images: Type.Array(Image, { minItems: 1, maxItems: 100 }),
    caption: Caption,
  }),
  cta: Type.Object({
    type: Type.Literal('cta'),
    title: Line,
    text: Type.Optional(Paragraph),
    buttonCopy: Type.Optional(Line),
    link: Type.Optional(Address),
  }),
} as const;
export type ContentBlock = { [T in keyof typeof BLOCKS]: Static<(typeof BLOCKS)[T]> }[keyof typeof BLOCKS];

const Slug = Type.String({
  minLength: 1,
  maxLength: 120,
  description: 'Lowercase letters, digits and hyphens',
});
const Title = Type.String({ minLength: 1, maxLength: 300 });

const FIELDS = {
  type: Type.Optional(Type.Enum(CONTENT_TYPES, { description: 'Optional if event names it' })),
  subtitle: OptionalText(1000, 'Default: the title'),
  body_markdown: OptionalText(MAX_MARKDOWN),
  heroImage: OptionalText(2048),
  isPublished: Type.Optional(Type.Boolean({ default: false })),
  meta_description: OptionalText(1000),
  seoKeywords: OptionalList(Line, 100),
  canonicalUrl: OptionalText(2048),
  ogImage: OptionalText(2048),
  pillar: OptionalText(200),
  c2aTitle: OptionalText(300),
  c2aSubtitle: OptionalText(1000),
  c2aButtonCopy: OptionalText(100, 'Default: Start Creating'),
  c2aLink: OptionalText(2048, 'Default: /workflows'),
  valueProps: OptionalList(ValueProp, 100),
  faqSchema: OptionalList(Question, 500),
  howToSteps: OptionalList(HowToStep, 100),
  // Validated by content-fields.ts, which names an unknown type.
  contentBlocks: OptionalList(Type.Object({ type: Type.String({ maxLength: 100 }) }), 200),
  crossLinks: OptionalList(CrossLink, 100),
  quickAnswer: Type.Optional(
    Type.Unsafe<Static<typeof QuickAnswer> | null>({ ...QuickAnswer, type: ['object', 'null'] }),
  ),
  workflowId: OptionalText(64, 'The page shows its preview if the workflow is public'),
  subcategory: OptionalText(200),
  parentCategory: Type.Optional(
    Type.Unsafe<ContentCategory | null>({
      enum: [...CONTENT_CATEGORIES, null],
      description: 'Default: depends on the type',
    }),
  ),
  event: Type.Optional(Type.Enum(Object.keys(CONTENT_EVENTS) as (keyof typeof CONTENT_EVENTS)[])),
};

export const CreateContentBody = Named('ContentPageInput', 'The page to create', {
  slug: Slug,
  title: Title,
  ...FIELDS,
});
export type CreateContentBody = Static<typeof CreateContentBody>;

export const UpdateContentBody = Named('ContentPageChanges', 'The fields of a page to change', {
  slug: Slug,
  title: Type.Optional(Title),
  ...FIELDS,
});
export type UpdateContentBody = Static<typeof UpdateContentBody>;

export const WrittenPage = Named('WrittenPage', 'The written page', {
  success: Type.Literal(true),
  url: Type.String({ description: 'URL of the page' }),
  page: Type.Object({
    slug: Slug,
    title: Title,
    ...FIELDS,
    author: Type.String(),
    publishedAt: Nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  meta: Type.Optional(Type.Object({ warnings: Type.Array(Type.String()) })),
});
