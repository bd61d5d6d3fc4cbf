// Validates an untrusted value as a scene graph, and reports issues with JSON pointers.
import { toJsonPointer } from '../../graph/issues.ts';
import { AppError, type Issue } from '../../lib/errors.ts';
import { findSchemaErrors, type SchemaError } from '../../lib/schema-check.ts';
import { SCENE_GRAPH_SCHEMA, type SceneGraph } from './scene-graph.ts';

/** Maximum nesting depth. */
const MAX_DEPTH = 32;
const MAX_ISSUES = 20;
const MAX_VALUE_CHARS = 100;

/** Returns the value if it is valid. Throws `invalid_scene_graph` with `issues`. */
export function parseSceneGraph(value: unknown): SceneGraph {
  const issues = findIssues(value);
  if (issues.length > 0) throw createInvalidSceneGraphError(issues);
  return value as SceneGraph;
}

/** Creates the error that lists all issues. */
export function createInvalidSceneGraphError(issues: readonly Issue[]): AppError {
  const [firstIssue] = issues;
  const suffix = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new AppError(
    'invalid_scene_graph',
    `The scene graph cannot be used: ${firstIssue?.path === '' ? 'it' : firstIssue?.path} ${firstIssue?.message}${suffix}.`,
    { issues: issues.map(issue => ({ ...issue, path: issue.path ?? '' })) },
  );
}

function findIssues(value: unknown): readonly Issue[] {
  const tooDeepPointer = findPointerBelowDepth(value);
  if (tooDeepPointer !== undefined)
    return [{ path: tooDeepPointer, code: 'too_deep', message: `is nested over ${MAX_DEPTH} levels deep` }];
  return selectIssues(findSchemaErrors(SCENE_GRAPH_SCHEMA, value));
}

/** Returns the pointer of the first value that is nested too deep. Does not recurse deeper. */
function findPointerBelowDepth(value: unknown, depth = 1): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH) return '';
  for (const key in value) {
    const innerPointer = findPointerBelowDepth((value as Record<string, unknown>)[key], depth + 1);
    if (innerPointer !== undefined) return toJsonPointer(key) + innerPointer;
  }
  return undefined;
}

/** Keywords whose messages are more helpful than "matches none of several forms". */
const SPECIFIC_KEYWORDS: ReadonlySet<string> = new Set(['additionalProperties', 'required', 'discriminator']);

/**
 * Selects one issue per location. For a value with several allowed forms, the validator reports an error for each form,
 * and that no form matches. Only specific or nested errors help the reader. If there are none, reports that no form matches.
 */
function selectIssues(errors: readonly SchemaError[]): readonly Issue[] {
  const unions = new Set<string>();
  const specific = new Set<string>();
  for (const { instancePath, keyword } of errors) {
    if (keyword === 'anyOf') unions.add(instancePath);
    else if (SPECIFIC_KEYWORDS.has(keyword)) specific.add(instancePath);
    // If a nested value has an error, an error about the form of the outer value does not help.
    let path = instancePath;
    while (path !== '') {
      path = path.slice(0, path.lastIndexOf('/'));
      specific.add(path);
    }
  }
  const reported = new Map<string, Issue>();
  for (const error of errors) {
    const { instancePath, keyword } = error;
    if (unions.has(instancePath)) {
      const isSpecific = specific.has(instancePath);
      if (isSpecific ? !SPECIFIC_KEYWORDS.has(keyword) : keyword !== 'anyOf') continue;
    }
    const path = toPointer(error);
    if (!reported.has(path))
      reported.set(path, {
        path,
        code: keyword === 'anyOf' ? 'no_matching_form' : keyword,
        message: toMessage(error),
      });
    if (reported.size >= MAX_ISSUES) break;
  }
  return [...reported.values()];
}

function toPointer({ instancePath, keyword, params }: SchemaError): string {
  if (keyword === 'additionalProperties')
    return instancePath + toJsonPointer(String(params.additionalProperty));
  if (keyword === 'required') return instancePath + toJsonPointer(String(params.missingProperty));
  if (keyword === 'discriminator') return `${instancePath}/type`;
  return instancePath;
}

/** The properties of a schema that messages use. */
interface FailedSchema {
  readonly description?: string;
  /** Set by `byType`. */
  readonly oneOf?: readonly { readonly $ref: string }[];
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(SCENE_GRAPH_SCHEMA.$defs).flatMap(([name, definition]) =>
    'properties' in definition && 'type' in definition.properties && 'const' in definition.properties.type
      ? [[`#/$defs/${name}`, definition.properties.type.const] as const]
      : [],
  ),
);

const MESSAGES: Readonly<Record<string, (error: SchemaError) => string>> = {
  additionalProperties: () => 'is not a known property',
  required: () => 'is missing',
  enum: ({ params }) => `must be one of ${(params.allowedValues as string[]).join(', ')}`,
  const: ({ params }) => `must be ${JSON.stringify(params.allowedValue)}`,
  discriminator: ({ params, parentSchema }) => {
    const { oneOf = [] } = parentSchema as FailedSchema;
    const types = oneOf.map(({ $ref }) => TYPE_NAMES.get($ref));
    return `has the unknown value ${JSON.stringify(params.tagValue).slice(0, MAX_VALUE_CHARS)}. Allowed are ${types.join(', ')}`;
  },
  anyOf: ({ parentSchema }) => `matches none of the allowed forms${describeForm(parentSchema)}`,
  pattern: ({ parentSchema, message = '' }) =>
    parentSchema?.description === undefined ? message : `has the wrong form${describeForm(parentSchema)}`,
};

function describeForm(schema: SchemaError['parentSchema']): string {
  const { description } = schema as FailedSchema;
  return description === undefined ? '' : `. ${description.replace(/\.$/, '')}`;
}

function toMessage(error: SchemaError): string {
  return MESSAGES[error.keyword]?.(error) ?? error.message ?? 'is not valid';
}
