// Records responses of a service as examples of the OpenAPI document, with stable ids, times and texts.

export interface RecordedExamples {
  /** By operation id and status. */
  readonly responses: Record<string, unknown>;
  /** Accepted bodies by operation id. */
  readonly requests: Record<string, unknown>;
  /** By error code. */
  readonly errors: Record<string, unknown>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
  };
}
export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly in?: string; readonly name?: string; readonly schema?: object }[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: object }>>;
  };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}
export interface OpenApiResponse {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
}

/** Returns the operation with this method at this path. */
export function findOperation(document: OpenApi, method: string, path: string): OpenApiOperation | undefined {
  const parts = (path.split('?')[0] ?? '').split('/');
  const matches = (template: string): boolean => {
    const templateParts = template.split('/');
    return (
      templateParts.length === parts.length &&
      templateParts.every((part, index) => part.startsWith('{') || part === parts[index])
    );
  };
  // A path with fewer parameters is preferred: `lint` in /workflows/lint is not an id.
  const match = Object.keys(document.paths)
    .filter(template => matches(template) && method.toLowerCase() in (document.paths[template] ?? {}))
    .sort((a, b) => a.split('{').length - b.split('{').length)[0];
  return match === undefined ? undefined : document.paths[match]?.[method.toLowerCase()];
}

const MAX_ITEMS = 2;
const MAX_TEXT_LENGTH = 240;
const MAX_DEPTH = 9;

/** Replaces texts that differ between recordings. */
const REPLACEMENTS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/https?:\/\/localhost:\d+/g, 'https://graphwright.example.com'],
  [/https?:\/\/127\.0\.0\.1:\d+/g, 'https://hooks.example.com'],
  [
    /\b(wf|ex|med|fld|team|key|tpl|dlv|rnd|ses|user)_[0-9a-hjkmnp-tv-z]{26}\b/g,
    '$1_01jd8x3k5m7p9r1t3v5w7y9z0b',
  ],
  [/\bsk-[\w-]{8,}/g, 'sk-shown-once'],
  [/#[\w-]{40,}/g, '#shown-once'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '3b9a2f0e-6c1d-4a6e-9a4d-0c9f4f1b7a11'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-02T03:04:05.678Z'],
  [/(X-Amz-(?:Date|Credential|Signature|Security-Token))=[^&"]*/g, '$1=x'],
];

/** Replaces the values of properties that differ between recordings. */
const STABLE_VALUES: Readonly<Record<string, string | number>> = {
  nextCursor: 'd2ZfMDE',
  durationMs: 12,
  token: 'shown-once',
};
/** This property is omitted, because Spectral treats an object with a type and a default as a schema, even in an example. */
const OMITTED_PROPERTY = 'default';

/** Converts a response to an example: short, and the same in every recording. */
export function toExample(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return toStableText(value);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(item => toExample(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== OMITTED_PROPERTY)
      .map(([name, member]) => {
        const stableValue = STABLE_VALUES[name];
        return [name, typeof stableValue === typeof member ? stableValue : toExample(member, depth + 1)];
      }),
  );
}

function toStableText(value: string): string {
  const text = REPLACEMENTS.reduce(
    (result, [pattern, replacement]) => result.replaceAll(pattern, replacement),
    value,
  );
  return text.length > MAX_TEXT_LENGTH && !URL.canParse(text) ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

/**
 * Lists where two responses have different properties or types. Null matches any type, and an empty list any list,
 * because both depend on the progress of background work.
 */
export function listDifferences(expected: unknown, actual: unknown, pointer = ''): readonly string[] {
  if (expected === null || actual === null) return [];
  const [expectedType, actualType] = [getType(expected), getType(actual)];
  if (expectedType !== actualType) return [`${pointer || '/'}: ${actualType} instead of ${expectedType}`];
  if (Array.isArray(expected) && Array.isArray(actual))
    return expected.length === 0 || actual.length === 0
      ? []
      : listDifferences(expected[0], actual[0], `${pointer}/0`);
  if (typeof expected !== 'object') return [];
  const [expectedMembers, actualMembers] = [
    expected as Record<string, unknown>,
    actual as Record<string, unknown>,
  ];
  return [...new Set([...Object.keys(expectedMembers), ...Object.keys(actualMembers)])].flatMap(name =>
    listDifferences(expectedMembers[name], actualMembers[name], `${pointer}/${name}`),
  );
}

const getType = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);
