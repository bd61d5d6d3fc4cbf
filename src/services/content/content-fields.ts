// Validates what the schema of a content page cannot express: URLs, block types, total sizes, and unused keys.
import type { TSchema } from 'typebox';
import type { Issue } from '../../lib/errors.ts';
import { AppError } from '../../lib/errors.ts';
import { findFaults } from '../../lib/schema-check.ts';
import type { AddressKind } from '../../lib/web-address.ts';
import { ADDRESS_FORMS, isWebAddress } from '../../lib/web-address.ts';
import type { ContentBlock } from './content.schema.ts';
import { BLOCKS, MAX_MARKDOWN, UpdateContentBody } from './content.schema.ts';

/** The body with validated blocks, without members that nothing reads. */
export type SentContent = Omit<UpdateContentBody, 'contentBlocks'> & {
  readonly contentBlocks?: readonly ContentBlock[] | null;
};

export interface CheckedContent {
  readonly sent: SentContent;
  readonly warnings: readonly string[];
}

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Member → the kind of URL it may hold. */
const ADDRESSES: Readonly<Record<string, AddressKind>> = {
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
interface Findings {
  readonly issues: Issue[];
  /** Paths of unknown members. */
  readonly ignored: string[];
}

/** Throws 400 `invalid_request` with everything that is wrong. */
export function checkContent(body: UpdateContentBody): CheckedContent {
  const found: Findings = { issues: [], ignored: [] };
  if (!SLUG.test(body.slug))
    found.issues.push(
      fault('/slug', 'must be lowercase letters, digits and single hyphens, e.g. "upscale-photos"'),
    );
  if (body.title?.trim() === '') found.issues.push(fault('/title', 'must not be blank'));
  const { contentBlocks: blocks, ...others } = body;
  const fields = readMembers(UpdateContentBody as Form, others, '', found) as SentContent;
  const sent: SentContent = {
    ...fields,
    ...(body.title === undefined ? {} : { title: body.title.trim() }),
    ...(blocks === undefined ? {} : { contentBlocks: blocks && readBlocks(blocks, found) }),
  };
  if (found.issues.length === 0) checkMarkdown(sent, found);
  const [first] = found.issues;
  if (first !== undefined) {
    throw new AppError('invalid_request', `The body at ${first.path} ${first.message}.`, {
      issues: found.issues.slice(0, MAX_NAMED),
    });
  }
  return { sent, warnings: describeIgnored(found.ignored) };
}

/** A schema as plain JSON. */
interface Form {
  readonly properties?: Readonly<Record<string, Form>>;
  readonly items?: Form;
}

/** A copy with the schema's members only; URLs are checked on the way. */
function readMembers(form: Form, value: unknown, path: string, found: Findings): unknown {
  if (Array.isArray(value)) {
    const { items } = form;
    return items === undefined
      ? value
      : value.map((item, index) => readMembers(items, item, `${path}/${index}`, found));
  }
  const { properties } = form;
  if (typeof value !== 'object' || value === null || properties === undefined) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const place = `${path}/${name.slice(0, MAX_NAME_LENGTH)}`;
    const memberForm = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (memberForm === undefined) found.ignored.push(place.slice(1));
    else {
      checkAddress(name, member, place, found);
      kept[name] = readMembers(memberForm, member, place, found);
    }
  }
  return kept;
}

function checkAddress(name: string, value: unknown, path: string, found: Findings): void {
  const kind = name === 'url' ? (path.startsWith('/crossLinks/') ? 'link' : 'media') : ADDRESSES[name];
  if (kind === undefined || typeof value !== 'string' || value === '') return;
  if (!isWebAddress(value, kind)) found.issues.push(fault(path, `must be ${ADDRESS_FORMS[kind]}`));
}

function readBlocks(blocks: readonly { readonly type: string }[], found: Findings): ContentBlock[] {
  return blocks.flatMap((block, index) => {
    const path = `/contentBlocks/${index}`;
    const form: TSchema | undefined = Object.hasOwn(BLOCKS, block.type)
      ? BLOCKS[block.type as ContentBlock['type']]
      : undefined;
    if (form === undefined) {
      const named = block.type.slice(0, MAX_NAME_LENGTH);
      found.issues.push(fault(`${path}/type`, `"${named}" is not one of ${Object.keys(BLOCKS).join(', ')}`));
      return [];
    }
    const [wrong] = findFaults(form, block);
    if (wrong !== undefined) {
      found.issues.push(fault(`${path}${wrong.instancePath}`, wrong.message ?? 'has the wrong form'));
      return [];
    }
    return [readMembers(form as Form, block, path, found) as ContentBlock];
  });
}

function checkMarkdown(sent: SentContent, found: Findings): void {
  const parts = markdownParts(sent);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const tags = parts.reduce((sum, part) => sum + (part.match(/<[a-z/]/gi)?.length ?? 0), 0);
  if (length > MAX_MARKDOWN)
    found.issues.push(
      fault('/contentBlocks', `must hold at most ${MAX_MARKDOWN} characters of markdown with the body`),
    );
  if (tags > MAX_TAGS) found.issues.push(fault('/body_markdown', `must hold at most ${MAX_TAGS} HTML tags`));
}

/** The body's markdown, then each block's; the body is included even if it is empty. */
export function markdownParts(content: {
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
  const more = ignored.length > MAX_NAMED ? ` and ${ignored.length - MAX_NAMED} more` : '';
  return [
    `Ignored, since no content page has such a field: ${ignored.slice(0, MAX_NAMED).join(', ')}${more}.`,
  ];
}

function fault(path: string, message: string): Issue {
  return { path, code: 'invalid_request', message };
}
