// Records responses of a service as examples of the OpenAPI document, with stable ids, times and texts.

export interface Recorded {
  /** By operation id and status. */
  readonly responses: Record<string, unknown>;
  /** By operation id: a body that was accepted. */
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

/** Finds the operation of the path. */
export function findOperation(document: OpenApi, method: string, path: string): OpenApiOperation | undefined {
  const parts = (path.split('?')[0] ?? '').split('/');
  const fits = (template: string): boolean => {
    const expected = template.split('/');
    return (
      expected.length === parts.length &&
      expected.every((part, at) => part.startsWith('{') || part === parts[at])
    );
  };
  // Paths with fewer parameters come first: /workflows/lint is not a workflow.
  const found = Object.keys(document.paths)
    .filter(template => fits(template) && method.toLowerCase() in (document.paths[template] ?? {}))
    .sort((a, b) => a.split('{').length - b.split('{').length)[0];
  return found === undefined ? undefined : document.paths[found]?.[method.toLowerCase()];
}

const MAX_ITEMS = 2;
const MAX_TEXT = 240;
const MAX_DEPTH = 9;

const RULES: readonly (readonly [RegExp, string])[] = [
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

/** Properties whose values differ between recordings, but not in type. */
const STABLE: Readonly<Record<string, string | number>> = {
  nextCursor: 'd2ZfMDE',
  durationMs: 12,
  token: 'shown-once',
};
/** Left out, because Spectral treats an object with a type and a default as a schema, also within an example. */
const LEFT_OUT = 'default';

/** Converts a response to an example: short, and the same in every recording. */
export function toExample(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return toText(value);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(item => toExample(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== LEFT_OUT)
      .map(([name, member]) => {
        const stable = STABLE[name];
        return [
          name,
          typeof stable === typeof member && stable !== undefined ? stable : toExample(member, depth + 1),
        ];
      }),
  );
}

function toText(value: string): string {
  const same = RULES.reduce((text, [pattern, caller]) => text.replaceAll(pattern, caller), value);
  return same.length > MAX_TEXT && !URL.canParse(same) ? `${same.slice(0, MAX_TEXT)}…` : same;
}

/**
 * Finds where two responses differ in form: a property that one lacks, or of another type. Null matches any type and an
 * empty list any list, because both depend on the progress of background work.
 */
export function listDifferences(was: unknown, is: unknown, at = ''): readonly string[] {
  if (was === null || is === null) return [];
  const [before, now] = [getType(was), getType(is)];
  if (before !== now) return [`${at || '/'}: was ${before}, is ${now}`];
  if (Array.isArray(was) && Array.isArray(is))
    return was.length === 0 || is.length === 0 ? [] : listDifferences(was[0], is[0], `${at}/0`);
  if (typeof was !== 'object') return [];
  const [old, fresh] = [was as Record<string, unknown>, is as Record<string, unknown>];
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].flatMap(name =>
    listDifferences(old[name], fresh[name], `${at}/${name}`),
  );
}

const getType = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);
