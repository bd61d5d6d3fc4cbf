// Validates the parts of a content page that its schema cannot express: URLs, block types, total sizes and unknown
// fields.
import type { TSchema } from 'typebox';
import type { Issue } from '../../lib/errors.ts';
import { AppError } from '../../lib/errors.ts';
import type { UrlKind } from '../../lib/safe-url.ts';
import { ADDRESS_FORMS, isSafeUrl } from '../../lib/safe-url.ts';
import { findSchemaErrors } from '../../lib/schema-check.ts';
import type { ContentBlock } from './content.schema.ts';
import { BLOCKS, MAX_MARKDOWN, UpdateContentBody } from './content.schema.ts';

/** The body with validated blocks and without unknown members. */
export type SentContent = Omit<UpdateContentBody, 'contentBlocks'> & {
  readonly contentBlocks?: readonly ContentBlock[] | null;
};

export interface CheckedContent {
  readonly content: SentContent;
  readonly warnings: readonly string[];
}

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** The kind of URL by the name of the member that contains it. The kind of `url` depends on its path. */
const ADDRESS_KINDS: Readonly<Record<string, UrlKind>> = {
  heroImage: 'media',
  ogImage: 'media',
  canonicalUrl: 'absolute',
  c2aLink: 'link',
  image: 'media',
  poster: 'media',
  link: 'link',
};
/** Unbalanced tags cost the sanitizer quadratic time. */
const MAX_TAGS = 5000;
const MAX_NAMED = 20;
const MAX_NAME_LENGTH = 100;

/** The results of one pass over the body. */
interface BodyReport {
  readonly issues: Issue[];
  /** Paths of unknown members. */
  readonly ignored: string[];
}

/** Validates the body. Throws 400 `invalid_request` with all issues. */
export function parseContent(body: UpdateContentBody): CheckedContent {
  const report: BodyReport = { issues: [], ignored: [] };
  if (!SLUG.test(body.slug))
    report.issues.push(
      createIssue('/slug', 'must be lowercase letters, digits and single hyphens, e.g. "upscale-photos"'),
    );
  if (body.title?.trim() === '') report.issues.push(createIssue('/title', 'must not be blank'));
  const { contentBlocks: blocks, ...otherMembers } = body;
  const fields = copyMembers(UpdateContentBody as SchemaNode, otherMembers, '', report) as SentContent;
  const content: SentContent = {
    ...fields,
    ...(body.title === undefined ? {} : { title: body.title.trim() }),
    ...(blocks === undefined ? {} : { contentBlocks: blocks && readBlocks(blocks, report) }),
  };
  if (report.issues.length === 0) checkMarkdown(content, report);
  const [first] = report.issues;
  if (first !== undefined) {
    throw new AppError('invalid_request', `The body at ${first.path} ${first.message}.`, {
      issues: report.issues.slice(0, MAX_NAMED),
    });
  }
  return { content, warnings: describeIgnored(report.ignored) };
}

/** A schema as plain JSON. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** Copies the members that the schema has, and checks their URLs. */
function copyMembers(schema: SchemaNode, value: unknown, path: string, report: BodyReport): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? value
      : value.map((item, index) => copyMembers(items, item, `${path}/${index}`, report));
  }
  const { properties } = schema;
  if (typeof value !== 'object' || value === null || properties === undefined) return value;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const memberPath = `${path}/${name.slice(0, MAX_NAME_LENGTH)}`;
    const memberSchema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (memberSchema === undefined) report.ignored.push(memberPath.slice(1));
    else {
      checkAddress(name, member, memberPath, report);
      members[name] = copyMembers(memberSchema, member, memberPath, report);
    }
  }
  return members;
}

function checkAddress(name: string, value: unknown, path: string, report: BodyReport): void {
  const kind = name === 'url' ? (path.startsWith('/crossLinks/') ? 'link' : 'media') : ADDRESS_KINDS[name];
  if (kind === undefined || typeof value !== 'string' || value === '') return;
  if (!isSafeUrl(value, kind)) report.issues.push(createIssue(path, `must be ${ADDRESS_FORMS[kind]}`));
}

function readBlocks(blocks: readonly { readonly type: string }[], report: BodyReport): ContentBlock[] {
  return blocks.flatMap((block, index) => {
    const path = `/contentBlocks/${index}`;
    const schema: TSchema | undefined = Object.hasOwn(BLOCKS, block.type)
      ? BLOCKS[block.type as ContentBlock['type']]
      : undefined;
    if (schema === undefined) {
      const typeName = block.type.slice(0, MAX_NAME_LENGTH);
      report.issues.push(
        createIssue(`${path}/type`, `"${typeName}" is not one of ${Object.keys(BLOCKS).join(', ')}`),
      );
      return [];
    }
    const [error] = findSchemaErrors(schema, block);
    if (error !== undefined) {
      report.issues.push(
        createIssue(`${path}${error.instancePath}`, error.message ?? 'has the wrong format'),
      );
      return [];
    }
    return [copyMembers(schema as SchemaNode, block, path, report) as ContentBlock];
  });
}

function checkMarkdown(content: SentContent, report: BodyReport): void {
  const parts = listMarkdownParts(content);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const tags = parts.reduce((sum, part) => sum + (part.match(/<[a-z/]/gi)?.length ?? 0), 0);
  if (length > MAX_MARKDOWN)
    report.issues.push(
      createIssue(
        '/contentBlocks',
        `must have at most ${MAX_MARKDOWN} characters of markdown, including the body`,
      ),
    );
  if (tags > MAX_TAGS)
    report.issues.push(createIssue('/body_markdown', `must have at most ${MAX_TAGS} HTML tags`));
}

/** Lists the body's markdown, then each block's. The body is included even if it is empty. */
export function listMarkdownParts(content: {
  readonly body_markdown?: string | null;
  readonly contentBlocks?: readonly ContentBlock[] | null;
}): string[] {
  const blocks = (content.contentBlocks ?? []).flatMap(block =>
    block.type === 'markdown' ? [block.markdown] : [],
  );
  return [content.body_markdown ?? '', ...blocks];
}

function describeIgnored(ignored: readonly string[]): string[] {
  if (ignored.length === 0) return [];
  const suffix = ignored.length > MAX_NAMED ? ` and ${ignored.length - MAX_NAMED} more` : '';
  return [`Ignored unknown fields: ${ignored.slice(0, MAX_NAMED).join(', ')}${suffix}.`];
}

const createIssue = (path: string, message: string): Issue => ({ path, code: 'invalid_request', message });
