// Declares JSON nodes: extract values by path, and build an object from inputs.
import { getBuiltKeys, getExtractedPaths, MAX_CONFIG_PORTS } from '../graph/config-ports.ts';
import type { Json, JsonObject, Value } from '../graph/types.ts';
import { hasExactText, jsonToValue, valueToJson, valueToJsonText } from '../graph/values.ts';
import { joinMembers } from '../lib/json-scan.ts';
import { createPorts, defineNode, json, NodeError } from './define.ts';
import { MAX_TEXT_LENGTH, parseBoundedJson } from './value-checks.ts';

export const jsonExtract = defineNode({
  nodeType: 'utility:json_extract',
  forecastMode: 'by-value',
  label: 'Extract from JSON',
  description:
    'Extracts values by dotted path, with one output per path. A path without a match outputs nothing.',
  category: 'utility',
  inputs: { json: json('JSON', { required: true }) },
  config: {
    paths: json('Paths', {
      default: {},
      description: 'Output name → path, for example { "city": "address.city" }.',
    }),
  },
  outputs: {},
  dynamicPorts: {
    note: `One output for each key of config.paths, ${MAX_CONFIG_PORTS} at most.`,
    resolve: config => ({
      inputs: { json: json('JSON', { required: true }) },
      outputs: createPorts(Object.keys(getExtractedPaths(config.paths))),
    }),
  },
  run: values => {
    const root = parseText(values.json);
    const entries = Object.entries(getExtractedPaths(values.paths)).map(
      ([name, path]) => [name, readPath(root, path)] as const,
    );
    return Object.fromEntries(
      entries.map(([name, value]) => [name, value === undefined ? undefined : jsonToValue(value)]),
    );
  },
});

export const jsonBuild = defineNode({
  nodeType: 'utility:json_build',
  forecastMode: 'by-value',
  label: 'Build JSON',
  description: 'Builds a JSON object from the inputs. Lists become arrays; media become URLs.',
  category: 'utility',
  inputs: {},
  config: {
    keys: json('Keys', {
      default: [],
      description: 'The keys of the object, for example ["title", "price"].',
    }),
  },
  outputs: { json: json('JSON') },
  dynamicPorts: {
    note: `One input for each name in config.keys, ${MAX_CONFIG_PORTS} at most.`,
    resolve: config => ({
      inputs: createPorts(getBuiltKeys(config.keys)),
      outputs: { json: json('JSON') },
    }),
  },
  run: values => {
    const members = getBuiltKeys(values.keys).flatMap(name => {
      const value = values[name] as Value | undefined;
      return value === undefined ? [] : [[name, value] as const];
    });
    const json = Object.fromEntries(members.map(([name, value]) => [name, valueToJson(value)]));
    if (!members.some(([, value]) => hasExactText(value))) return { json: { type: 'JSON', json } };
    const exactText = joinMembers(members.map(([name, value]) => [name, valueToJsonText(value)]));
    return { json: { type: 'JSON', json, exactText } };
  },
});

/** Parses text as JSON, for example from a model. Removes a surrounding code fence. */
function parseText(value: Json): Json {
  if (typeof value !== 'string') return value;
  const source = value
    .trim()
    .replace(/^```(?:json)?/, '')
    .replace(/```$/, '');
  if (source.length > MAX_TEXT_LENGTH)
    throw new NodeError('text_too_long', 'The text is too long to parse as JSON.');
  const json = parseBoundedJson(source);
  if (json === undefined)
    throw new NodeError('invalid_json', 'The text is not valid JSON, or it is nested too deeply.');
  return json;
}

function readPath(root: Json, path: string): Json | undefined {
  let current: Json | undefined = root;
  for (const step of path === '' ? [] : path.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as JsonObject)[step];
  }
  return current;
}
