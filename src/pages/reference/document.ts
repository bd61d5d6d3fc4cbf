// Defines the parts of the OpenAPI document that the API reference shows, and reads them.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Example {
  readonly value?: unknown;
  readonly $ref?: string;
}

export interface Content {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, Example>>;
}

export interface Parameter {
  readonly $ref?: string;
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content?: Readonly<Record<string, Content>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
}

/** An operation with its method and path. */
export interface Operation extends DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

export interface ApiDocument {
  readonly info: { readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** The operations of one tag. */
export interface Group {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** Converts text to a URL slug: lower case, with dashes. */
export function toUrlSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

/** Groups the operations by tag, in the order of the document's tags. Tags without operations are omitted. */
export function listGroups(document: ApiDocument): readonly Group[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      parameters: (operation.parameters ?? []).map(parameter => resolveParameter(document, parameter)),
    })),
  );
  const byTag = Map.groupBy(operations, ({ tags = [] }) => tags[0] ?? '');
  return document.tags
    .map(({ name, description = '' }) => ({
      name,
      description,
      slug: toUrlSlug(name),
      operations: byTag.get(name) ?? [],
    }))
    .filter(({ operations }) => operations.length > 0);
}

function resolveParameter(document: ApiDocument, parameter: Parameter): Parameter {
  return document.components.parameters[getRefName(parameter.$ref)] ?? parameter;
}

/** Resolves a reference to a shared response. */
export function resolveResponse(document: ApiDocument, response: Response): Response {
  return document.components.responses[getRefName(response.$ref)] ?? response;
}

/** Returns the last segment of a reference, or an empty string. */
export function getRefName(ref: string | undefined): string {
  return ref?.split('/').at(-1) ?? '';
}

/** Returns the example recorded with the content. */
export function findExample(content: Content | undefined): unknown {
  return Object.values(content?.examples ?? {})[0]?.value;
}
