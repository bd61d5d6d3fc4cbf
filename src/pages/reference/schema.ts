// Renders schemas: a short description of a type, and a list of the properties of an object.
import { type Html, html } from '../html.ts';
import { getRefName, type Schema } from './document.ts';

const MAX_DEPTH = 3;
const MAX_ENUM_VALUES = 16;

interface Property {
  /** For example `webhook.url` or `issues[].code`. */
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Describes a type and its limits in a few words. Named types are links. */
export function renderType(schema: Schema): Html {
  return joinHtml([renderTypeName(schema), ...listLimits(schema).map(limit => html`${limit}`)], ', ');
}

function renderTypeName(schema: Schema): Html {
  const { $ref, enum: values, anyOf, oneOf, allOf, type, items } = schema;
  if ($ref !== undefined) return html`<a href="/docs/types/${getRefName($ref)}">${getRefName($ref)}</a>`;
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (values !== undefined) return renderEnum(values);
  const choices = anyOf ?? oneOf ?? allOf;
  if (choices !== undefined) return joinHtml(choices.map(renderType), allOf === undefined ? ' or ' : ' and ');
  if (type === 'array')
    return items === undefined || Object.keys(items).length === 0
      ? html`list`
      : html`list of ${renderType(items)}`;
  return html`${Array.isArray(type) ? type.join(' or ') : (type ?? 'any value')}`;
}

function renderEnum(values: readonly unknown[]): Html {
  const items = values.slice(0, MAX_ENUM_VALUES).map(value => html`<code>${String(value)}</code>`);
  return html`${joinHtml(items, ' ')}${values.length > MAX_ENUM_VALUES ? ` and ${values.length - MAX_ENUM_VALUES} more` : ''}`;
}

function listLimits(schema: Schema): string[] {
  const { format, minimum, maximum, minLength, maxLength, maxItems } = schema;
  return [
    format,
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}`
      : (minimum !== undefined && `at least ${minimum}`) || (maximum !== undefined && `at most ${maximum}`),
    minLength !== undefined && minLength > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems} items`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ].filter(limit => typeof limit === 'string');
}

/** Renders the properties of an object as a list, and describes any other type. */
export function renderSchema(schema: Schema): Html {
  const properties = listProperties(schema);
  if (properties.length === 0) return html`<p>${renderType(schema)}</p>`;
  return renderPropertyList(
    properties.map(({ name, schema, isRequired }) => ({
      name,
      isRequired,
      type: renderType(schema),
      description: schema.description,
    })),
  );
}

export interface PropertyRow {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: Html;
  readonly description: string | undefined;
}

/** Renders properties or parameters, one row each. */
export function renderPropertyList(rows: readonly PropertyRow[]): Html {
  return html`<dl class="fields">${rows.map(
    ({ name, isRequired, type, description }) =>
      html`<div><dt><code>${name}</code>${isRequired ? html` <span class="required">required</span>` : undefined}</dt><dd><p class="field-type">${type}</p>${
        description === undefined ? undefined : html`<p>${renderInline(description)}</p>`
      }</dd></div>`,
  )}</dl>`;
}

/** Formats the `code` parts of a sentence as code. */
export function renderInline(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function listProperties(schema: Schema, prefix = '', depth = 1): Property[] {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const name = `${prefix}${key}`;
    const [inner, suffix] = unwrapSchema(member);
    return [
      { name, schema: member, isRequired: required.includes(key) },
      ...(depth < MAX_DEPTH && inner !== undefined
        ? listProperties(inner, `${name}${suffix}.`, depth + 1)
        : []),
    ];
  });
}

/** Returns the unnamed object type of a member: the schema itself, or the schema of its items or of its non-null value. */
function unwrapSchema(schema: Schema): readonly [schema: Schema | undefined, suffix: string] {
  if (schema.properties !== undefined) return [schema, ''];
  if (schema.items?.properties !== undefined) return [schema.items, '[]'];
  return [schema.anyOf?.find(choice => choice.properties !== undefined), ''];
}

function joinHtml(pieces: readonly Html[], separator: string): Html {
  return html`${pieces.map((piece, index) => (index === 0 ? piece : html`${separator}${piece}`))}`;
}
